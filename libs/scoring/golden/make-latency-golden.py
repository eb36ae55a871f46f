"""Writes the golden cases of latency percentiles beside this file, with SciPy; no code of the library is used.

Run by hand: python3 libs/scoring/golden/make-latency-golden.py (Debian: python3-scipy), then npx prettier --write libs/scoring/golden.
"""

import json
import os

import numpy as np
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
NEEDED = {50: 64, 90: 64, 95: 130, 99: 662}


def estimate(count, percentile):
    """The place, from 0 and by rising latency, of LoadGen's estimate and of the lower end of the interval."""
    share = percentile / 100
    places = np.arange(count)
    # LoadGen: `over` requests above the percentile pass at 99% confidence among `count` requests
    over = places[stats.binom.cdf(places, count, 1 - share) <= 0.01].max()
    low = places[stats.binom.cdf(places, count, share) <= 0.04].max()
    return {"count": count, "percentile": percentile, "value": int(count - over), "low": int(low)}


counts = [64, 100, 130, 206, 500, 662, 1000, 3000]
cases = [estimate(count, percentile) for percentile, needed in NEEDED.items() for count in counts if count >= needed]
with open(os.path.join(HERE, "latency.json"), "w") as file:
    json.dump({"cases": cases}, file, indent=1)
