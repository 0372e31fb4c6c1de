import * as z from 'zod'
import { job } from '../../module'
import type { Tools } from '../../tools'
import { objectStorage } from './access.service'

const Args = z.strictObject({ domain_id: z.string() })

const switching = (name: string, enabled: boolean) =>
  job({
    name,
    args: Args,
    async run({ args: { domain_id } }, tools: Tools) {
      await objectStorage(tools).setDomainEnabled(domain_id, enabled)
      return { domain_id, enabled }
    },
  })

/** Enables object storage for a domain. */
export const enableDomain = switching('object_storage.domain.enable', true)
/** Disables object storage for a domain. Stored objects are kept. */
export const disableDomain = switching('object_storage.domain.disable', false)
