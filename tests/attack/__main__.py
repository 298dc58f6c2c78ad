"""Make one attack by a file again and show what came of it: ``python -m tests.attack SEED NUMBER [FOLDER]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.attack.attack import LOADED, attack_file
from tests.attack.samples import make_samples
from tests.unit.io.faults.test_every_fault import Worker
from tests.unit.io.listener import listening


def main() -> None:
    """Attack once and print the verdict and the folder."""
    seed, number = (int(word) for word in sys.argv[1:3])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="attack-"))
    worker = Worker(*LOADED)
    with listening() as found:
        verdict = attack_file(make_samples(folder / "samples"), seed, number, folder / "attack", worker, found.url)
    worker.close()
    print(f"{verdict.row}; {verdict.what}: {verdict.outcome}", *verdict.failures, f"in {folder}", sep="\n")


if __name__ == "__main__":
    main()
