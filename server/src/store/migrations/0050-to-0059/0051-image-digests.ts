import { sql, type Kysely } from 'kysely'

/**
 * `checksum` of an image was SHA-256 and is MD5, which what is kept does not tell; SHA-256 has fields of its own. Of an
 * image that was converted both were of another file.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    with known as (
      select resource.id,
        case when body->>'checksum' ~ '^[0-9a-f]{64}$' and not coalesce((data->>'isConverted')::boolean, false)
          then body->>'checksum' end as sha256
      from resource left join private_record on private_record.kind = 'image' and private_record.id = resource.id
      where resource.kind = 'image' and not body ? 'os_hash_value'
    )
    update resource set body = body || jsonb_build_object(
      'checksum', null, 'os_hash_value', sha256, 'os_hash_algo', case when sha256 is not null then 'sha256' end)
    from known where resource.kind = 'image' and resource.id = known.id`.execute(db)
}
