-- token_issued
-- Ended ones too: whoever holds one was given it once.
SELECT 1 FROM token WHERE hash = :hash;
