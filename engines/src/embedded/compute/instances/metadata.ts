import { MAX_METADATA } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { changeInstance, lockFor } from './rows'

type Words = Instance['metadata']

/** Skips the write if nothing changes, so that no change event is sent. */
const change = (engine: Engine, scope: Scope, id: string, work: (words: Words) => Words): Promise<Instance> =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'editMetadata')
    const before = row.metadata
    const metadata = work(before)
    const names = Object.keys(metadata)
    const isSame = names.length === Object.keys(before).length && names.every((name) => before[name] === metadata[name])
    return isSame ? row : changeInstance(tx, row, { metadata })
  })

export const setMetadata = (engine: Engine, scope: Scope, id: string, words: Words) =>
  change(engine, scope, id, (before) => {
    const metadata = { ...before, ...words }
    const count = Object.keys(metadata).length
    if (count <= MAX_METADATA) return metadata
    throw fieldProblem(
      'metadata',
      'compute.metadata_over_quota',
      { most: MAX_METADATA, count },
      {
        data: { resource: 'metadata', limit: MAX_METADATA, requested: count },
      },
    )
  })

export const removeMetadata = (engine: Engine, scope: Scope, id: string, key: string) =>
  change(engine, scope, id, (before) => {
    if (!Object.hasOwn(before, key)) throw notFound()
    const { [key]: _, ...metadata } = before
    return metadata
  })
