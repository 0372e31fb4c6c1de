import type { Sample } from '../../../metrics/sample'
import type { Sampler } from '../../../metrics/sampling'
import type { Tools } from '../../../tools'

/** Number of buckets sampled per round. If there are more, each one is sampled only every few rounds. */
const MOST_PER_ROUND = 1000
const EVERY_MS = 60_000

/** Samples the size and object count of buckets, on the only server that has object storage. Returns null elsewhere. */
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
        // names can be reused by other buckets, but IDs cannot
        const labels = { bucket_id: id, bucket: name, user_id: owner }
        return [
          { name: 'mainstay_s3_bucket_bytes', labels, value: size },
          { name: 'mainstay_s3_bucket_objects', labels, value: objects },
        ]
      })
    },
  }
}
