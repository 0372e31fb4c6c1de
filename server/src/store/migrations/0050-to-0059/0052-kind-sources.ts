import { sql, type Kysely } from 'kysely'

// servers that do not know it go by the mark that is there already, which newer ones keep as well
export const needs = '0051-image-digests'

/**
 * Of which engine the rows of a kind are. Until now the whole index was one engine's: its own record (this machine's), or
 * what it sees of a cloud; databases from before there were clouds do not say so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table kind_source (
      kind text not null,
      source text not null,
      view text not null check (view in ('record', 'feed')),
      primary key (kind, source)
    )`.execute(db)
  await sql`
    insert into kind_source (kind, source, view)
    select kind, case owner.view when 'record' then 'embedded' else 'cloud' end, owner.view
    from (
      select data->>'view' as view from private_record where kind = 'index' and id = 'owner'
      union all
      select 'record' where exists (select from resource where kind <> 'task')
        and not exists (select from private_record where kind = 'index' and id = 'owner')
    ) as owner, unnest(array['server', 'image', 'flavor', 'key', 'server_group', 'placement', 'compute_node', 'volume',
      'network', 'subnet']) as kind`.execute(db)
}
