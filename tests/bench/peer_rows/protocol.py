"""Timing as tessera bench does it: contenders interleaved, buffers rotated when cold, medians with an interval that the
true one lies in with 95 % confidence."""

import math
import random
import time

WARMUPS = 20
LEAST = 5  # samples, whatever the budget
TIGHTNESS = 0.005  # of the median
MOST_TIMES = 5  # never more than this many times the samples asked for


def quantile(ordered, share):
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median_interval(ordered):
    count = len(ordered)
    half = 0.5 * 1.96 * math.sqrt(count)
    low = math.floor(count / 2 - half) - 1
    high = math.ceil(count / 2 + half)
    clamp = lambda index: min(max(index, 0), count - 1)
    return ordered[clamp(low)], ordered[clamp(high)]


def summary(samples, resolution_ms):
    ordered = sorted(samples)
    median = quantile(ordered, 0.5)
    low, high = median_interval(ordered)
    return {
        "median_ms": median,
        "p5_ms": quantile(ordered, 0.05),
        "p95_ms": quantile(ordered, 0.95),
        "median_low_ms": min(low, median - resolution_ms / 2),
        "median_high_ms": max(high, median + resolution_ms / 2),
        "samples": len(ordered),
    }


class Entrant:
    """A contender in one contest. A contender has rotations(), run(rotation), finish(), measure(rotation) in
    milliseconds, and resolution_ms."""

    def __init__(self, contender):
        self.contender = contender
        self.samples = []
        self.warmups = 0
        self.spent = 0.0
        self.active = True
        self.failure = None

    def sample(self, cache, turn):
        start = time.perf_counter()
        result = 0.0
        try:
            if cache == "hot":
                self.contender.run(0)
                self.contender.finish()
                result = self.contender.measure(0)
            else:
                result = self.contender.measure(turn % self.contender.rotations())
        except Exception as error:  # noqa: BLE001 - whatever a library throws costs it its row, not the run
            self.failure, self.active = f"{type(error).__name__}: {error}".splitlines()[0], False
        self.spent += 1000 * (time.perf_counter() - start)
        return result

    def tight(self, wanted):
        count = len(self.samples)
        if count < wanted:
            return False
        if count >= wanted * MOST_TIMES:
            return True
        low, high = median_interval(sorted(self.samples))
        return high - low <= max(TIGHTNESS * quantile(sorted(self.samples), 0.5), self.contender.resolution_ms)


def contest(contenders, cache, wanted=100, budget_ms=10_000.0):
    """One Entrant a contender, with its samples."""
    entrants = [Entrant(contender) for contender in contenders]
    order = random.Random(1)
    turn = 0
    for entrant in entrants:
        while entrant.active and entrant.warmups < WARMUPS and (entrant.warmups == 0 or entrant.spent < budget_ms / 5):
            entrant.sample(cache, turn)
            entrant.warmups += 1
            turn += 1
    while any(entrant.active and not entrant.tight(wanted) for entrant in entrants):
        for entrant in order.sample(entrants, len(entrants)):
            if not entrant.active:
                continue
            milliseconds = entrant.sample(cache, turn)
            turn += 1
            if entrant.active:
                entrant.samples.append(milliseconds)
                if len(entrant.samples) >= min(LEAST, wanted) and entrant.spent >= budget_ms:
                    entrant.active = False
    return entrants
