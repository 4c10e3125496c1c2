-- What the device said of itself while it was timed: "652 W, 61 C, power cap, host's clock 1.002"; empty: nothing known.
ALTER TABLE measurement ADD COLUMN conditions TEXT NOT NULL DEFAULT '';
