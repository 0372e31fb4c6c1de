import type { Domain } from '@mainstay/contract/identity/domains'
import { THEME } from '@mainstay/contract/identity/themes'
import { ThemePart } from '../../../patterns/theme/ThemePart'
import { DomainObjectStorage } from './DomainObjectStorage'
import { DomainProperties } from './DomainProperties'
import { DomainQuotas } from './DomainQuotas'
import { DomainSignIn } from './DomainSignIn'

/** What the details of a domain show below its facts. */
export const DomainBelow = ({ item }: { item: Domain }) => (
  <>
    <DomainQuotas item={item} />
    <DomainSignIn item={item} />
    <DomainObjectStorage domainId={item.id} />
    <ThemePart domainId={item.id} themeKey={THEME} heading="h3" />
    <DomainProperties item={item} />
  </>
)
