import { domainProperties, type DomainProperty } from '@mainstay/contract/identity/domain-properties'
import { asProblem } from '../../api/problem'
import { useCall } from '../../api/use-call'

/** Updates a property, or creates it if it does not exist (S2§7). */
export function useSetProperty(domainId: string) {
  const refresh = [domainProperties.list, domainProperties.view]
  const change = useCall(domainProperties.update, { refresh })
  const make = useCall(domainProperties.create, { refresh })
  return async ({ key, ...body }: DomainProperty) => {
    const params = { domain_id: domainId, key }
    try {
      return await change.run({ params, body })
    } catch (thrown) {
      if (asProblem(thrown).status !== 404) throw thrown
      return make.run({ params, body })
    }
  }
}
