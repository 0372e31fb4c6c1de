import { MAX_METADATA } from '@mainstay/contract/compute/instance-rules'
import { Problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { InstancesPort } from '../../../ports/compute'
import type { Engine } from '../../engine'
import { allowed, known, orInvalidState, refreshed } from './act'

type TagsPort = Pick<InstancesPort, 'setTag' | 'removeTag' | 'setMetadata' | 'removeMetadata'>

/** First microversion that supports tags. */
const version = '2.26'

/** Instance tag commands. */
export const tagCommands = (engine: Engine): TagsPort => ({
  async setTag(scope, id, tag) {
    await known(engine, scope, id)
    const cloud = await engine.as(scope)
    const path = `/servers/${id}/tags/${encodeURIComponent(tag)}`
    const set = orInvalidState(engine, id, cloud.send('PUT', 'compute', path, z.void(), { version }))
    await set.catch((error: unknown) => {
      const isOfTag = error instanceof Problem && error.code === 'validation'
      throw isOfTag ? withField(error, { field: 'tag' }) : error
    })
    return refreshed(engine, id)
  },

  async removeTag(scope, id, tag) {
    await known(engine, scope, id)
    const cloud = await engine.as(scope)
    const path = `/servers/${id}/tags/${encodeURIComponent(tag)}`
    await orInvalidState(engine, id, cloud.send('DELETE', 'compute', path, z.void(), { version }))
    return refreshed(engine, id)
  },

  async setMetadata(scope, id, metadata) {
    const row = await allowed(engine, scope, id, 'editMetadata')
    const count = Object.keys({ ...row.metadata, ...metadata }).length
    if (count > MAX_METADATA) throw tooMuch(count)
    const cloud = await engine.as(scope)
    const path = `/servers/${id}/metadata`
    const set = orInvalidState(engine, id, cloud.send('POST', 'compute', path, z.void(), { body: { metadata } }))
    await set.catch((error: unknown) => {
      const isOfWords = error instanceof Problem && ['validation', 'quota_exceeded', 'too_large'].includes(error.code)
      if (!isOfWords) throw error
      const code = error.code === 'validation' ? error.code : 'quota_exceeded'
      throw withField(error, { field: 'metadata', code })
    })
    return refreshed(engine, id)
  },

  async removeMetadata(scope, id, key) {
    await allowed(engine, scope, id, 'editMetadata')
    const cloud = await engine.as(scope)
    const path = `/servers/${id}/metadata/${encodeURIComponent(key)}`
    await orInvalidState(engine, id, cloud.send('DELETE', 'compute', path, z.void()))
    return refreshed(engine, id)
  },
})

function tooMuch(count: number): Problem {
  const data = { resource: 'metadata', limit: MAX_METADATA, requested: count }
  return fieldProblem('metadata', 'compute.metadata_over_quota', { most: MAX_METADATA, count }, { data })
}
