import type { Sample } from '../../../metrics/sample'
import type { Sampler } from '../../../metrics/sampling'
import type { Tools } from '../../../tools'

/** Buckets looked at in one round; where there are more, each has its turn every few rounds. */
const MOST_PER_ROUND = 1000
const EVERY_MS = 60_000

/** What buckets hold. Null where there is no object storage. One server has it, so that one measures. */
export function bucketSampler({ ports, areas }: Pick<Tools, 'ports' | 'areas'>): Sampler | null {
  if (!areas['object-storage'].engine) return null
  let after: string | undefined
  return {
    name: 'buckets',
    everyMs: EVERY_MS,
    by: 'each',
    async take() {
      const buckets = await ports['object-storage'].bucketUsages(after, MOST_PER_ROUND)
      after = buckets.length === MOST_PER_ROUND ? buckets.at(-1)!.id : undefined
      return buckets.flatMap(({ id, name, owner, size, objects }): Sample[] => {
        // a name may be of another bucket later, an id is of one
        const labels = { bucket_id: id, bucket: name, user_id: owner }
        return [
          { name: 'mainstay_s3_bucket_bytes', labels, value: size },
          { name: 'mainstay_s3_bucket_objects', labels, value: objects },
        ]
      })
    },
  }
}
