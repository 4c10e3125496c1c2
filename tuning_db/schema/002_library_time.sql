-- A vendor's library, timed in the same rounds as a measurement of ours. It is no trial: nothing of it is checked, and
-- it cannot win. The column order is that of columns() in src/trial/trial.h.
CREATE TABLE library_time (
  id           INTEGER PRIMARY KEY,
  measurement  INTEGER NOT NULL REFERENCES measurement (id),
  label        TEXT NOT NULL,
  median_us    REAL NOT NULL CHECK (median_us > 0),
  low_us       REAL NOT NULL,
  high_us      REAL NOT NULL,
  ratio        REAL NOT NULL,
  ratio_low    REAL NOT NULL,
  ratio_high   REAL NOT NULL,
  created      TEXT NOT NULL,
  UNIQUE (measurement, label)
) STRICT;
