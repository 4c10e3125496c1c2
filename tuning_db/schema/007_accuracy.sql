-- What the kernel declares to be less right in: "normwise", "specials may be NaN", or both; empty: the strictest class.
ALTER TABLE trial ADD COLUMN accuracy TEXT NOT NULL DEFAULT '';
