"""From a table in Dask to a model file, and back to predictions: python examples/dask_fit.py."""

import tempfile
from pathlib import Path

import dask.dataframe as dd
import pandas as pd  # type: ignore[import-untyped]

import suffice as sf
from suffice.engines import dask

MAIL = {"spam": ["cheap pills now", "watches for you, cheap"], "ham": ["lunch at noon?", "are you at lunch, or here?"]}


def main(folder: Path) -> None:
    rows = [(f"{text} {i}", label) for i in range(50) for label, texts in MAIL.items() for text in texts]
    pd.DataFrame(rows, columns=["text", "label"]).to_parquet(folder / "mail.parquet", row_group_size=20)

    mail = dd.read_parquet(folder / "mail.parquet", split_row_groups=True)
    model = dask.fit(sf.TextClassifier(), mail, target="label", features="text")
    sf.save(model, folder / "mail.suffice")

    model = sf.load(folder / "mail.suffice")
    answers = dask.predict(model, mail)
    answers.to_parquet(folder / "answers")
    print(f"{model.class_count_.sum():.0f} texts in {mail.npartitions} partitions, classes {model.classes_.tolist()}")
    print(pd.read_parquet(folder / "answers").groupby(["label", "prediction"], observed=True).size())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
