// Assigns rows to classes, and divides them into pieces of one class each.
//
// The pieces depend on the data alone and are merged in order, so the number of threads changes nothing.
#pragma once

#include <algorithm>
#include <vector>

#include "threads.hpp"

namespace suffice {

// Rows belong to one class each (code), to all classes in shares (rows × classes), or all to class 0 (neither).
struct Groups {
    const Index* code;
    const double* share;
    const double* weight;  // null: every row has weight 1
    Index rows, classes;

    double weight_of(Index row, Index group) const {
        const double w = weight ? weight[row] : 1.0;
        return share ? w * share[row * classes + group] : w;
    }

    // visit(group, weight) for each class the row belongs to
    template <class Visit>
    void classes_of(Index row, Visit visit) const {
        if (share) {
            for (Index group = 0; group < classes; ++group) visit(group, weight_of(row, group));
        } else {
            visit(code ? code[row] : 0, weight ? weight[row] : 1.0);
        }
    }
};

// Rows of one class, in order: order[begin..end), or the rows begin..end themselves.
struct Piece {
    Index group, begin, end;
    const Index* order;
    bool first;  // whether nothing of the class was counted before this piece

    template <class Visit>
    void each_row(Visit visit) const {
        for (Index k = begin; k < end; ++k) visit(order ? order[k] : k);
    }

    // Visits the rows, calling soon(row) a little before each.
    template <class Visit, class Soon>
    void each_row(Visit visit, Soon soon) const {
        constexpr Index ahead = 8;
        for (Index k = begin; k < end; ++k) {
            if (order && k + ahead < end) soon(order[k + ahead]);
            visit(order ? order[k] : k);
        }
    }
};

class Pieces {
   public:
    Pieces(const Groups& groups, Index begin, Index end, Index piece_rows) : opening_(begin == 0) {
        if (groups.code) {
            sort_by_class(groups, begin, end);
            for (Index group = 0; group < groups.classes; ++group) {
                cut(group, start_[group], start_[group + 1], piece_rows, order_.data());
            }
        } else {
            for (Index group = 0; group < groups.classes; ++group) cut(group, begin, end, piece_rows, nullptr);
        }
    }

    const std::vector<Piece>& list() const { return pieces_; }

   private:
    void sort_by_class(const Groups& groups, Index begin, Index end) {
        start_.assign(groups.classes + 1, 0);
        for (Index i = begin; i < end; ++i) ++start_[groups.code[i] + 1];
        for (Index group = 0; group < groups.classes; ++group) start_[group + 1] += start_[group];
        std::vector<Index> next(start_.begin(), start_.end() - 1);
        order_.resize(end - begin);
        for (Index i = begin; i < end; ++i) order_[next[groups.code[i]]++] = i;
    }

    void cut(Index group, Index begin, Index end, Index piece_rows, const Index* order) {
        for (Index at = begin; at < end; at += piece_rows) {
            pieces_.push_back({group, at, std::min(end, at + piece_rows), order, opening_ && at == begin});
        }
    }

    bool opening_;
    std::vector<Index> order_, start_;
    std::vector<Piece> pieces_;
};

// Calls run(piece, slot) in parallel for up to `slots` pieces, then join(pieces, count) for the same ones in order.
template <class Run, class Join>
void for_pieces(const Groups& groups, Index piece_rows, Index slots, int threads, Run run, Join join) {
    constexpr Index stretch = Index{1} << 20;  // rows sorted at a time, which bounds the memory of the order
    for (Index begin = 0; begin < groups.rows; begin += stretch) {
        const Pieces pieces(groups, begin, std::min(groups.rows, begin + stretch), piece_rows);
        const std::vector<Piece>& list = pieces.list();
        for (Index at = 0; at < static_cast<Index>(list.size()); at += slots) {
            const Index count = std::min<Index>(slots, list.size() - at);
            parallel_for(count, threads, [&](Index slot) { run(list[at + slot], slot); });
            join(list.data() + at, count);
        }
    }
}

}  // namespace suffice
