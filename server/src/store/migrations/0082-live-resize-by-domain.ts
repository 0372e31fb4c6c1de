import { sql, type Kysely } from 'kysely'

// servers that do not know the property go on allowing it
export const needs = '0051-image-digests'

/** Live resize is off in a domain unless it is turned on; where instances use it already, it is turned on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into domain_property (domain_id, key, access, data)
      select distinct domain_id, 'allow_live_resize', 'auth', 'true' from resource
        where kind = 'server' and domain_id is not null and body->'allow_live_resize' = 'true'::jsonb
      on conflict do nothing`.execute(db)
}
