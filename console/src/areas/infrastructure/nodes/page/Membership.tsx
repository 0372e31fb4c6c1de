import { computeCluster, isOfCloud } from '@mainstay/contract/compute/compute-cluster'
import { says } from '@mainstay/contract/core/said'
import { clusters } from '@mainstay/contract/infrastructure/clusters'
import { whyMembershipIsFixed } from '@mainstay/contract/infrastructure/node-actions'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { problemText } from '../../../../api/problem-text'
import { useView } from '../../../../api/use-view'
import { ruleTextNow } from '../../../../i18n/said'
import { useT } from '../../../../i18n/use-t'
import { useMay } from '../../../../session/may'
import { Banner } from '../../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'

/** Explains why a node cannot be added to the cluster, with the error text that the API would return. */
export function Membership({ node }: { node: Node }) {
  const t = useT('nodes')
  const shell = useT('shell')
  const may = useMay()
  const isAsked = may(clusters.list.needs) && may(computeCluster.view.needs) && !node.is_assigned
  const storage = useView(clusters.list, {}, { isEnabled: isAsked })
  const compute = useView(computeCluster.view, {}, { isEnabled: isAsked })
  if (!isAsked) return null
  const problem = storage.problem ?? compute.problem
  const reload = () => {
    storage.reload()
    compute.reload()
  }
  if (problem) return <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />
  if (!storage.data || !compute.data) return null
  const reason =
    storage.data.length === 0 ? says('infrastructure.no_cluster') : whyMembershipIsFixed(node, isOfCloud(compute.data))
  return (
    <Banner tone="idle" title={t('notInCluster')}>
      {ruleTextNow(reason)}
    </Banner>
  )
}
