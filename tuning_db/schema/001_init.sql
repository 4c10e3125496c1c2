-- Three tables, not one: trial (identity, status, check), measurement (many per trial), decision.
-- The column order is that of columns() in src/trial/trial.h.

CREATE TABLE session (
  id       INTEGER PRIMARY KEY,
  command  TEXT NOT NULL,
  version  TEXT NOT NULL,
  host     TEXT NOT NULL,
  device   TEXT NOT NULL,
  state    TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
  created  TEXT NOT NULL,
  ended    TEXT NOT NULL DEFAULT '',
  wall_s   REAL NOT NULL DEFAULT 0
) STRICT;

-- The text of every source that was tried, once: so that a trial can be shown and run again.
CREATE TABLE source (
  hash  TEXT PRIMARY KEY,
  name  TEXT NOT NULL,
  text  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
  id             INTEGER PRIMARY KEY,
  key            TEXT NOT NULL UNIQUE,
  family         TEXT NOT NULL,
  variant        TEXT NOT NULL,
  configuration  TEXT NOT NULL,
  problem        TEXT NOT NULL,
  dtype          TEXT NOT NULL,
  source_hash    TEXT NOT NULL REFERENCES source (hash),
  options        TEXT NOT NULL,
  toolchain      TEXT NOT NULL,
  device_class   TEXT NOT NULL,
  device_kind    TEXT NOT NULL CHECK (device_kind IN ('cuda', 'emulated', 'script')),
  check_version  INTEGER NOT NULL,
  status         TEXT NOT NULL,
  message        TEXT NOT NULL DEFAULT '',
  session        INTEGER NOT NULL REFERENCES session (id),
  registers      INTEGER NOT NULL DEFAULT 0,
  spill_bytes    INTEGER NOT NULL DEFAULT 0,
  shared_bytes   INTEGER NOT NULL DEFAULT 0,
  blocks_per_sm  INTEGER NOT NULL DEFAULT 0,
  threads        INTEGER NOT NULL DEFAULT 0,
  compile_ms     REAL NOT NULL DEFAULT 0,
  error_ratio    REAL NOT NULL DEFAULT 0,
  mismatches     INTEGER NOT NULL DEFAULT 0,
  check_detail   TEXT NOT NULL DEFAULT '',
  created        TEXT NOT NULL
) STRICT;
CREATE INDEX trial_by_problem ON trial (problem, device_class, variant);

CREATE TABLE measurement (
  id            INTEGER PRIMARY KEY,
  trial         INTEGER NOT NULL REFERENCES trial (id),
  session       INTEGER NOT NULL REFERENCES session (id),
  protocol      TEXT NOT NULL,
  stage         TEXT NOT NULL CHECK (stage IN ('screen', 'final', 'bench')),
  recipe        TEXT NOT NULL,
  cache         TEXT NOT NULL CHECK (cache IN ('cold', 'hot')),
  clock         TEXT NOT NULL CHECK (clock IN ('measured', 'modelled', 'scripted')),
  device_uuid   TEXT NOT NULL,
  driver        TEXT NOT NULL,
  median_us     REAL NOT NULL CHECK (median_us > 0),
  low_us        REAL NOT NULL,
  high_us       REAL NOT NULL,
  mad_us        REAL NOT NULL,
  minimum_us    REAL NOT NULL,
  sm_clock_mhz  REAL NOT NULL,
  samples_us    BLOB NOT NULL,
  created       TEXT NOT NULL
) STRICT;
CREATE INDEX measurement_by_trial ON measurement (trial, stage);

CREATE TABLE decision (
  id            INTEGER PRIMARY KEY,
  session       INTEGER NOT NULL REFERENCES session (id),
  problem       TEXT NOT NULL,
  dtype         TEXT NOT NULL,
  family        TEXT NOT NULL,
  device_class  TEXT NOT NULL,
  trial         INTEGER NOT NULL REFERENCES trial (id),
  measurement   INTEGER NOT NULL REFERENCES measurement (id),
  tie_set       TEXT NOT NULL,
  rule          TEXT NOT NULL,
  candidates    INTEGER NOT NULL,
  created       TEXT NOT NULL
) STRICT;
CREATE INDEX decision_by_problem ON decision (problem, device_class, id);

-- Measured ceilings of a device, newest wins.
CREATE TABLE ceiling (
  id            INTEGER PRIMARY KEY,
  device_class  TEXT NOT NULL,
  name          TEXT NOT NULL,
  unit          TEXT NOT NULL,
  value         REAL NOT NULL CHECK (value > 0),
  created       TEXT NOT NULL
) STRICT;

-- Only what passed its check may be measured, and only a measured or scripted final of a passed trial may win.
CREATE TRIGGER measurement_needs_check BEFORE INSERT ON measurement
WHEN (SELECT status FROM trial WHERE id = NEW.trial) IS NOT 'passed'
BEGIN SELECT RAISE(ABORT, 'measurement of a trial that has not passed its check'); END;

CREATE TRIGGER decision_needs_check BEFORE INSERT ON decision
WHEN (SELECT status FROM trial WHERE id = NEW.trial) IS NOT 'passed'
BEGIN SELECT RAISE(ABORT, 'a trial that has not passed its check cannot win'); END;

CREATE TRIGGER decision_needs_own_measurement BEFORE INSERT ON decision
WHEN (SELECT trial FROM measurement WHERE id = NEW.measurement) IS NOT NEW.trial
BEGIN SELECT RAISE(ABORT, 'a decision rests on a measurement of its own trial'); END;

CREATE TRIGGER decision_needs_clock BEFORE INSERT ON decision
WHEN (SELECT m.clock = 'modelled' AND t.device_kind <> 'emulated'
      FROM measurement m JOIN trial t ON t.id = m.trial WHERE m.id = NEW.measurement)
BEGIN SELECT RAISE(ABORT, 'a modelled time cannot decide for a real device'); END;
