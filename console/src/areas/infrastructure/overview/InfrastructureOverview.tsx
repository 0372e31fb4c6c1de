import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodeKind, nodes } from '@mainstay/contract/infrastructure/nodes'
import type { ImpactRow } from '@mainstay/contract/infrastructure/impact'
import type { StorageTier } from '@mainstay/contract/infrastructure/tiers'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { saidText } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { AddLink } from '../../../patterns/AddLink'
import { Page } from '../../../patterns/Page'
import { PageColumns } from '../../../patterns/PageColumns'
import { Banner } from '../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { useBackup } from '../backup/use-backup'
import { ImpactTable } from '../impact/ImpactTable'
import { helpPaths } from '../impact/impact-words'
import { useImpact } from '../impact/use-impact'
import { nodePaths } from '../nodes/paths'
import { AlertsPanel } from './AlertsPanel'
import { NodesPanel } from './NodesPanel'
import { PlaceLink } from './PlaceLink'
import { StorageTiers } from './StorageTiers'
import { Tiles } from './Tiles'
import { useFigures } from './use-figures'
import { useTiers } from './use-tiers'

const noTiers: readonly StorageTier[] = []

/** `/infrastructure/overview`: the state of the hosts and the storage, and what stops if a single part fails. */
export default function InfrastructureOverview() {
  const t = useT('infrastructure')
  const words = useT('nodes')
  const shell = useT('shell')
  const hosts = useList(nodes.list, nodeKind, { stateIn: 'memory', limit: WHOLE_LIMIT })
  const tiers = useTiers()
  const impact = useImpact()
  const { data: backup } = useBackup()
  const known = tiers.data?.tiers ?? noTiers
  const tiles = useFigures({ nodes: hosts.rows, tiers: known, backup })
  return (
    <Page
      title={shell('menu.infrastructure')}
      actions={
        <AddLink to={nodePaths.add()} needs={nodeRegistration.generateToken.needs}>
          {words('add')}
        </AddLink>
      }
    >
      <SingleCopy tiers={known} impact={impact.data?.rows} />
      {tiles.length > 0 && <Tiles label={t('overview.figures')} tiles={tiles} />}
      <PageColumns
        side={
          <>
            <AlertsPanel />
            <StorageTiers view={tiers} />
          </>
        }
      >
        {impact.problem && (
          <ErrorPanel
            title={problemText(impact.problem, shell)}
            id={impact.problem.requestId}
            onRetry={impact.reload}
          />
        )}
        {!impact.data && !impact.problem && <Skeleton width="320px" />}
        {impact.data && <ImpactTable rows={impact.data.rows} countedAt={impact.data.counted_at} />}
        {hosts.problem ? (
          <ErrorPanel title={problemText(hosts.problem, shell)} id={hosts.problem.requestId} onRetry={hosts.reload} />
        ) : hosts.isLoading ? (
          <Skeleton width="320px" />
        ) : (
          <NodesPanel nodes={hosts.rows} />
        )}
      </PageColumns>
    </Page>
  )
}

interface SingleCopyProps {
  tiers: readonly StorageTier[]
  impact: readonly ImpactRow[] | undefined
}

/** Warns that data is lost if the disk of a tier fails, because there is no other copy, and says what helps most. */
function SingleCopy({ tiers, impact = [] }: SingleCopyProps) {
  const t = useT('infrastructure')
  const single = tiers.filter(({ copies, store }) => store === 'host' && copies === 1).map(({ tier }) => String(tier))
  const row = impact.find(({ kind, id, data }) => kind === 'tier' && single.includes(id) && data.result === 'lost')
  if (!row) return null
  const [advice] = row.help
  const to = advice && helpPaths[advice.said.key]
  return (
    <Banner tone="warn" title={t('overview.oneCopy', { tier: row.id })}>
      {t('overview.ifItFails', { effect: saidText(row.data.said, row.data.message) })}
      {advice && to !== undefined && (
        <div>
          <PlaceLink to={to}>{saidText(advice.said, advice.message)}</PlaceLink>
        </div>
      )}
    </Banner>
  )
}
