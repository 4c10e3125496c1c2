-- What runs of `kerlab regress` found. A baseline itself is text in a folder; here is its history, and what is too large
-- or too binary for text: images that were measured and raw samples, by their digest.
-- The column order is that of columns() in src/trial/regress_run.h.
CREATE TABLE regress_run (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL,
  key           TEXT NOT NULL,
  device_class  TEXT NOT NULL,
  verdict       TEXT NOT NULL CHECK (verdict IN ('wrong', 'regressed', 'failed', 'inconclusive', 'not_comparable',
                                                 'improved', 'passed', 'identical', 'recorded', 'accepted')),
  why           TEXT NOT NULL,
  ratio         REAL NOT NULL,
  low           REAL NOT NULL,
  high          REAL NOT NULL,
  mde           REAL NOT NULL,
  error_ratio   REAL NOT NULL,
  figures       TEXT NOT NULL,
  source_hash   TEXT NOT NULL,
  toolchain     TEXT NOT NULL,
  driver        TEXT NOT NULL,
  device        TEXT NOT NULL,
  created       TEXT NOT NULL
) STRICT;
CREATE INDEX regress_run_by_key ON regress_run (name, key, id);

CREATE TABLE baseline_blob (
  hash     TEXT PRIMARY KEY,
  kind     TEXT NOT NULL CHECK (kind IN ('cubin', 'samples')),
  bytes    BLOB NOT NULL,
  created  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
