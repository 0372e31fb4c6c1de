import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { imageKind, images } from '@mainstay/contract/compute/images'
import { computeNodeKind, computeNodes } from '@mainstay/contract/compute/nodes'
import type { PlacementCarrier } from '@mainstay/contract/compute/placements'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { imageResource } from '../images/resource'
import css from './placements.module.css'

interface CarrierNamesProps {
  carrier: PlacementCarrier
  ids: readonly string[]
}

/** Names of a placement's carriers. Images are links. */
export function CarrierNames({ carrier, ids }: CarrierNamesProps) {
  if (ids.length === 0) return '–'
  const Names = names[carrier]
  return <Names ids={ids} />
}

const mostShown = 50
const these = (ids: readonly string[]) => ({
  stateIn: 'memory' as const,
  only: { id: `in:${ids.slice(0, mostShown).join(',')}` },
  limit: mostShown,
})

const names: Readonly<Record<PlacementCarrier, React.ComponentType<{ ids: readonly string[] }>>> = {
  nodes({ ids }) {
    const { rows, isLoading } = useList(computeNodes.list, computeNodeKind, these(ids))
    return <Named rows={rows.map(({ id, host }) => ({ id, name: <bdi>{host}</bdi> }))} of={ids} isLoading={isLoading} />
  },
  images({ ids }) {
    const { rows, isLoading } = useList(images.list, imageKind, these(ids))
    const link = (id: string, name: string) => <Link to={imageResource.paths.view(id)}>{name}</Link>
    return <Named rows={rows.map(({ id, name }) => ({ id, name: link(id, name) }))} of={ids} isLoading={isLoading} />
  },
  flavors({ ids }) {
    const { rows, isLoading } = useList(flavors.list, flavorKind, these(ids))
    return <Named rows={rows.map(({ id, name }) => ({ id, name: <bdi>{name}</bdi> }))} of={ids} isLoading={isLoading} />
  },
}

interface NamedProps {
  rows: { id: string; name: React.ReactNode }[]
  of: readonly string[]
  isLoading: boolean
}

function Named({ rows, of, isLoading }: NamedProps) {
  const t = useT('compute')
  const rest = of.length - mostShown
  // render placeholder lines while loading, to avoid a layout shift
  const lines = isLoading ? of.slice(0, mostShown).map((id) => ({ id, name: '\u00a0' })) : rows
  return (
    <ul className={css.names} aria-busy={isLoading}>
      {lines.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {rest > 0 && (
        <li>
          <bdi>{t('placements.more', { count: rest })}</bdi>
        </li>
      )}
    </ul>
  )
}
