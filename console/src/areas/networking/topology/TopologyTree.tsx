import { useT } from '../../../i18n/use-t'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { NodeName } from './TopologyTable'
import type { Topology, TopologyNode } from '@mainstay/contract/networking/topology'
import css from './topology.module.css'

/** Maximum number of members shown per network. */
const MOST_MEMBERS = 50

const inside: Readonly<Record<TopologyNode['kind'], readonly TopologyNode['kind'][]>> = {
  outside: ['external_network'],
  external_network: ['router', 'load_balancer', 'instance', 'port'],
  router: ['network', 'peer'],
  network: ['load_balancer', 'instance', 'port'],
  // the members of a load balancer
  load_balancer: ['instance'],
  instance: [],
  port: [],
  peer: [],
}

/**
 * Shows the topology as a tree, from the outside in. Used where the picture does not fit. Unconnected routers and
 * networks come last.
 */
export function TopologyTree({ topology }: { topology: Topology }) {
  const { nodes, edges } = topology
  const byId = new Map(nodes.map((it) => [it.id, it]))
  const below = (node: TopologyNode): TopologyNode[] =>
    edges
      .flatMap(({ from, to }) => (from === node.id ? [to] : to === node.id ? [from] : []))
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ kind }) => inside[node.kind].includes(kind))
  const brokenTo = (from: TopologyNode, to: TopologyNode) =>
    edges.find((it) => (it.from === from.id && it.to === to.id) || (it.from === to.id && it.to === from.id))?.broken ??
    null
  const reached = new Set<string>()
  const walk = (node: TopologyNode) => {
    if (reached.has(node.id)) return
    reached.add(node.id)
    below(node).forEach(walk)
  }
  const tops = nodes.filter(({ kind }) => kind === 'external_network')
  tops.forEach(walk)
  const alone = (['router', 'network'] as const).flatMap((kind) =>
    nodes.filter((node) => {
      if (node.kind !== kind || reached.has(node.id)) return false
      walk(node)
      return true
    }),
  )
  return (
    <ul className={css.tree}>
      {[...tops, ...alone].map((node) => (
        <Branch key={node.id} node={node} below={below} brokenTo={brokenTo} />
      ))}
    </ul>
  )
}

interface BranchProps {
  node: TopologyNode
  above?: TopologyNode
  below: (node: TopologyNode) => TopologyNode[]
  /** Returns why no packets can pass between two nodes, or null if they can. */
  brokenTo: (from: TopologyNode, to: TopologyNode) => string | null
}

function Branch({ node, above, below, brokenTo }: BranchProps) {
  const t = useT('networking')
  const members = below(node)
  const broken = above ? brokenTo(above, node) : null
  return (
    <li>
      <div className={css.leaf}>
        <NodeName node={node} /> <span className={css.dim}>{node.addresses.join(', ')}</span>
      </div>
      {broken !== null && (
        <div>
          <StatusBadge tone="bad">{broken}</StatusBadge>
        </div>
      )}
      {members.length > 0 && (
        <ul className={css.tree}>
          {members.slice(0, MOST_MEMBERS).map((it) => (
            <Branch key={it.id} node={it} above={node} below={below} brokenTo={brokenTo} />
          ))}
          {members.length > MOST_MEMBERS && (
            <li className={css.dim}>{t('more', { count: members.length - MOST_MEMBERS })}</li>
          )}
        </ul>
      )}
    </li>
  )
}
