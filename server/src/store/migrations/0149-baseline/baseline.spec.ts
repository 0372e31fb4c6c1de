import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase, testPool } from '../../../testing/postgres/postgres'
import { migrate } from '../../migrate'
import { migrations } from '../all'

/**
 * Describes everything that PostgreSQL knows of a schema as lines, grouped by type. Functions are given without
 * comments and line breaks.
 */
const descriptions = {
  extension: `select extname as line from pg_extension`,
  relation: `select concat_ws(' ', relname, relkind, array_to_string(reloptions, ',')) as line
    from pg_class where relnamespace = 'public'::regnamespace`,
  column: `select concat_ws(' ', relname, row_number() over (partition by c.oid order by attnum), attname,
      format_type(atttypid, atttypmod), (select collname from pg_collation where oid = attcollation), attnotnull, attstorage,
      attidentity, attgenerated, pg_get_expr(adbin, adrelid)) as line
    from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`,
  index: `select pg_get_indexdef(indexrelid) as line
    from pg_index join pg_class c on c.oid = indexrelid where relnamespace = 'public'::regnamespace`,
  constraint: `select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'`,
  function: `select regexp_replace(regexp_replace(pg_get_functiondef(p.oid), '--[^\\n]*', '', 'g'), '\\s+', ' ', 'g') as line
    from pg_proc p where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
  trigger: `select concat_ws(' ', pg_get_triggerdef(oid), tgenabled) as line from pg_trigger where not tgisinternal`,
  sequence: `select concat_ws(' ', sequencename, data_type, start_value, increment_by, max_value, cycle, cache_size) as line
    from pg_sequences where schemaname = 'public'`,
  row: `select concat('audit_anchor ', to_jsonb(t)) as line from audit_anchor t
    union all select concat('audit_forwarding ', to_jsonb(t)) from audit_forwarding t
    union all select concat('change_pruned ', to_jsonb(t)) from change_pruned t
    union all select concat('revision ', to_jsonb(t)) from revision t`,
}

// Databases that ran the migrations before the baseline continue on it, so it must stay exactly the schema they
// created. To change the schema, add a migration.
test('the baseline creates exactly the schema of the migrations before it', async () => {
  const database = await testDatabase('template0')
  const pool = testPool(database)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  await migrate(pool, migrations.slice(0, 1))
  const found: Record<string, string> = {}
  for (const [what, query] of Object.entries(descriptions)) {
    const { rows } = await pool.query<{ line: string }>(query)
    const lines = rows.map(({ line }) => line).sort()
    found[what] = `${lines.length} ${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`
  }
  expect(found).toEqual({
    extension: '2 980ce6a5ce6a1ffe',
    relation: '220 3cdad6aeb8ec5d56',
    column: '478 6550fa0e9c6f69ad',
    index: '140 5dabe0fa04b3abd6',
    constraint: '115 6a10a51d623f5bf9',
    function: '15 f5540819e55a7b1a',
    trigger: '17 9823f2e42bab0b18',
    sequence: '7 0f42eb3c38dfd2dc',
    row: '4 adc1dda24ee84de9',
  })
})
