import type { Sample } from '../../../metrics/sample'
import type { Sampler } from '../../../metrics/sampling'
import type { Tools } from '../../../tools'

/** Buckets sampled per round; with more of them, each is sampled every few rounds. */
const MOST_PER_ROUND = 1000
const EVERY_MS = 60_000

/** Samples size and object count of buckets. Null if there is no object storage. Runs on the one server that has it. */
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
        // a name can be reused by another bucket, an ID cannot
        const labels = { bucket_id: id, bucket: name, user_id: owner }
        return [
          { name: 'mainstay_s3_bucket_bytes', labels, value: size },
          { name: 'mainstay_s3_bucket_objects', labels, value: objects },
        ]
      })
    },
  }
}
