"""Describe the formats of well-known tables: files, columns, target and mark of a missing value."""

from dataclasses import dataclass

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True)
class Format:
    """The format of a table."""

    files: dict[str, str]
    """The file of each part: `train` and `test`, or `all` for a single file."""
    target: str
    names: str = ""
    """The columns in order; empty if the file has a header."""
    missing: str = "?"
    categories: bool = False
    """Whether all columns are categories, including those that look like numbers."""
    split: str = ""
    """The column that assigns rows to parts, if any: 0 is train, 1 is test."""

    @property
    def parts(self) -> bool:
        """Whether the table has a training and a test part."""
        return "train" in self.files or bool(self.split)


def numbered(count: int) -> str:
    """Return the names x1, x2, ..., for columns without names."""
    return " ".join(f"x{i}" for i in range(1, count + 1))


ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
    "capital-loss hours-per-week native-country income"
)

MUSHROOM = (
    "class cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size gill-color stalk-shape "
    "stalk-root stalk-surface-above-ring stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring "
    "veil-type veil-color ring-number ring-type spore-print-color population habitat"
)

VOTES = (
    "party handicapped-infants water-project-cost-sharing adoption-of-the-budget-resolution physician-fee-freeze "
    "el-salvador-aid religious-groups-in-schools anti-satellite-test-ban aid-to-nicaraguan-contras mx-missile "
    "immigration synfuels-corporation-cutback education-spending superfund-right-to-sue crime duty-free-exports "
    "export-administration-act-south-africa"
)

FORMATS = {
    "adult": Format({"train": "adult.data", "test": "adult.test"}, "income", ADULT),
    "car": Format({"all": "car.data"}, "class", "buying maint doors persons lug_boot safety class", categories=True),
    "ionosphere": Format({"all": "ionosphere.data"}, "class", numbered(34) + " class"),
    "mushroom": Format({"all": "agaricus-lepiota.data"}, "class", MUSHROOM, categories=True),
    "penguins": Format({"all": "penguins.csv"}, "species", missing="NA"),
    "sonar": Format({"all": "sonar.all-data"}, "class", numbered(60) + " class"),
    "titanic": Format({"all": "titanic.csv"}, "survived", missing=""),
    "votes": Format({"all": "house-votes-84.data"}, "party", VOTES, categories=True),
    "vowel": Format({"all": "vowel-context.data"}, "vowel", f"split speaker sex {numbered(10)} vowel", split="split"),
}
