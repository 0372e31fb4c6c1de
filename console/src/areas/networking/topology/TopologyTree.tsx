import type { Topology, TopologyNode } from '@mainstay/contract/networking/topology'
import { useT } from '../../../i18n/use-t'
import { NodeName } from './TopologyTable'
import css from './topology.module.css'

/** Members that are listed of one network. */
const MOST_MEMBERS = 50

const inside: Readonly<Record<TopologyNode['kind'], readonly TopologyNode['kind'][]>> = {
  outside: ['external_network'],
  external_network: ['router', 'instance', 'port'],
  router: ['network'],
  network: ['instance', 'port'],
  instance: [],
  port: [],
}

/** The same from outside to inside, where there is no room for the picture. What nothing leads to stands at the end. */
export function TopologyTree({ topology }: { topology: Topology }) {
  const { nodes, edges } = topology
  const byId = new Map(nodes.map((it) => [it.id, it]))
  const below = (node: TopologyNode): TopologyNode[] =>
    edges
      .flatMap(({ from, to }) => (from === node.id ? [to] : to === node.id ? [from] : []))
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ kind }) => inside[node.kind].includes(kind))
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
        <Branch key={node.id} node={node} below={below} />
      ))}
    </ul>
  )
}

function Branch({ node, below }: { node: TopologyNode; below: (node: TopologyNode) => TopologyNode[] }) {
  const t = useT('networking')
  const members = below(node)
  return (
    <li>
      <NodeName node={node} /> <span className={css.dim}>{node.addresses.join(', ')}</span>
      {members.length > 0 && (
        <ul className={css.tree}>
          {members.slice(0, MOST_MEMBERS).map((it) => (
            <Branch key={it.id} node={it} below={below} />
          ))}
          {members.length > MOST_MEMBERS && (
            <li className={css.dim}>{t('more', { count: members.length - MOST_MEMBERS })}</li>
          )}
        </ul>
      )}
    </li>
  )
}
