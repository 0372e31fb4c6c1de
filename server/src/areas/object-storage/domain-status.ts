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

/** Gives object storage to the users of a domain. */
export const enableDomain = switching('object_storage.domain.enable', true)
/** Takes object storage from the users of a domain. What they have stored stays. */
export const disableDomain = switching('object_storage.domain.disable', false)
