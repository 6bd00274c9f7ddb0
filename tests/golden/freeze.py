"""Write the outputs of every case, and a model file of each.

    PYTHONPATH=tests python -m golden.freeze               what is not there yet
    PYTHONPATH=tests python -m golden.freeze "Poisson*"    the outputs of these cases, whether there or not

Model files are never written again: they are what an earlier version has left to those who use it. Where the outputs of
a case are frozen again, what its files must say stays beside them.
"""

import sys
import warnings
from fnmatch import fnmatchcase
from typing import Any

import suffice as sf
from golden.files import FILES, OF_FILES, held_to, model_file, output_file, write
from golden.outputs import every_part, every_stored, plain


def said_by_files(case: str) -> dict[str, Any]:
    """Return what the model files of a case must go on to say; nothing if there are none."""
    stored = [model for model in every_stored() if model.case == case and model_file(case, model.part).exists()]
    found = {}
    for model in stored:
        said = plain(model.say(sf.load(model_file(case, model.part))))
        found[model.part] = {name: held_to(case, model.part)[name] for name in said}
    return {OF_FILES: found} if found else {}


def main(*patterns: str) -> None:
    outputs: dict[str, Any] = {}
    for part in every_part():
        again = any(fnmatchcase(part.case, pattern) for pattern in patterns)
        if again or not output_file(part.case).exists():
            outputs.setdefault(part.case, said_by_files(part.case))[part.name] = part.outputs()
    for case, parts in outputs.items():
        write(output_file(case), parts)
        print(case)
    FILES.mkdir(exist_ok=True)
    for model in every_stored():
        path = model_file(model.case, model.part)
        if not path.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sf.save(model.make(), path)
            print(path.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
