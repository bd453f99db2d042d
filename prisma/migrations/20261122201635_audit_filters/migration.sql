-- CreateIndex
CREATE INDEX "audit_log_school_id_client_id_id_idx" ON "audit_log"("school_id", "client_id", "id");

-- CreateIndex
CREATE INDEX "audit_log_school_id_grant_id_id_idx" ON "audit_log"("school_id", "grant_id", "id");

-- Handwritten: see prisma/handwritten.txt

-- The entries whose address is not shortened yet: those of the last days.
CREATE INDEX audit_log_full_address ON audit_log (school_id, id) WHERE position('/' in address) = 0;
