-- Who else used the device while it was timed: "python3 (pid 4711)"; empty: nobody, as far as was seen.
ALTER TABLE measurement ADD COLUMN shared_with TEXT NOT NULL DEFAULT '';
