-- What sessions of an older kerlab were for was in the command as it was typed alone. Run as trial.sql is.
UPDATE session SET purpose = CASE WHEN instr(command, ' tune ') > 0 THEN 'tune' ELSE 'other' END WHERE purpose = '';
