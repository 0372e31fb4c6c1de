import type { Domain } from '@mainstay/contract/identity/domains'
import { DomainProperties } from './DomainProperties'
import { DomainQuotas } from './DomainQuotas'

/** What the details of a domain show below its facts. */
export const DomainBelow = ({ item }: { item: Domain }) => (
  <>
    <DomainQuotas item={item} />
    <DomainProperties item={item} />
  </>
)
