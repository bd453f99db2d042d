import type { Client } from 'pg'

type Undo = (client: Client) => Promise<unknown>

/** Fills the disk of the database with a table. */
export async function fillDisk(client: Client): Promise<Undo> {
  await client.query('CREATE TABLE filler (text text)')
  await client.query('ALTER TABLE filler ALTER COLUMN text SET STORAGE EXTERNAL')
  for (const bytes of [4_000_000, 100_000, 1000]) await fill(client, bytes)
  return async (later) => {
    await later.query('DROP TABLE filler')
    // Otherwise a recovery from the log would fill the disk again, and the server could not start.
    await later.query('CHECKPOINT')
  }
}

async function fill(client: Client, bytes: number): Promise<void> {
  try {
    for (;;) await client.query(`INSERT INTO filler SELECT repeat('x', $1::int) FROM generate_series(1, 8)`, [bytes])
  } catch (error) {
    if ((error as { code?: string }).code !== '53100') throw error
  }
}

const everyTable = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`

/** Rejects every new version of a row as a full disk does, where no small disk can be mounted. */
export async function emulateFullDisk(client: Client): Promise<Undo> {
  await client.query(`CREATE FUNCTION soak_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
  await client.query(`DO $$ DECLARE name text; BEGIN
    FOR name IN ${everyTable} LOOP
      EXECUTE format('CREATE TRIGGER soak_full BEFORE INSERT OR UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION soak_full()', name);
    END LOOP; END $$`)
  return (later) => later.query('DROP FUNCTION soak_full() CASCADE')
}
