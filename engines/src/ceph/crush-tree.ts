import type { FailureDomain } from '@mainstay/contract/infrastructure/location-rules'
import type { OsdTree } from './shapes'

export type CrushNode = OsdTree['nodes'][number]

/** Types of buckets from the smallest to the largest, as in the default CRUSH map. */
const levels: readonly { type: string; domain: FailureDomain }[] = [
  { type: 'osd', domain: 'disk' },
  { type: 'host', domain: 'host' },
  { type: 'chassis', domain: 'host' },
  { type: 'rack', domain: 'rack' },
  { type: 'row', domain: 'row' },
  { type: 'pdu', domain: 'row' },
  { type: 'pod', domain: 'row' },
  { type: 'room', domain: 'room' },
  { type: 'datacenter', domain: 'room' },
  { type: 'zone', domain: 'room' },
  { type: 'region', domain: 'room' },
  { type: 'root', domain: 'room' },
]

/** Returns the failure domain that a type of bucket stands for; for a type that we do not have, the next smaller one. */
export const domainOfType = (type: string): FailureDomain => levels.find((one) => one.type === type)?.domain ?? 'host'

const rankOf = (type: string): number => levels.findIndex((one) => one.type === type)

/** The tree of a CRUSH map. */
export class CrushTree {
  private readonly byId: ReadonlyMap<number, CrushNode>
  private readonly parents = new Map<number, CrushNode>()
  readonly nodes: readonly CrushNode[]

  constructor({ nodes }: OsdTree) {
    this.nodes = nodes
    this.byId = new Map(nodes.map((node) => [node.id, node]))
    for (const node of nodes) for (const id of node.children ?? []) this.parents.set(id, node)
  }

  named(name: string): CrushNode | undefined {
    return this.nodes.find((node) => node.name === name)
  }

  parentOf({ id }: Pick<CrushNode, 'id'>): CrushNode | undefined {
    return this.parents.get(id)
  }

  childrenOf({ children = [] }: CrushNode): CrushNode[] {
    return children.flatMap((id) => this.byId.get(id) ?? [])
  }

  /** Returns a node and the buckets that contain it, from the inside to the outside. */
  pathOf(node: CrushNode): CrushNode[] {
    const path = [node]
    // the tree has as many levels as there are types, so a longer path is a damaged map
    for (let at = this.parentOf(node); at && path.length <= levels.length; at = this.parentOf(at)) path.push(at)
    return path
  }

  /** Returns the bucket of this type that contains a node; null if there is none. */
  ancestorOf(node: CrushNode, type: string): CrushNode | null {
    return this.pathOf(node).find((one) => one.type === type) ?? null
  }

  /**
   * Returns the smallest bucket that contains a node and is at least as large as this type. A host that is in no rack
   * counts as a rack of its row, room or root.
   */
  atLeast(node: CrushNode, type: string): CrushNode {
    const path = this.pathOf(node)
    return path.find((one) => rankOf(one.type) >= rankOf(type)) ?? path.at(-1)!
  }

  /** Returns the OSDs in a bucket, at any depth. */
  osdsIn(node: CrushNode, depth = 0): CrushNode[] {
    if (node.type === 'osd') return [node]
    return depth > levels.length ? [] : this.childrenOf(node).flatMap((child) => this.osdsIn(child, depth + 1))
  }

  /** Returns the root in which new buckets are created: `default`, or the first one. Null for an empty map. */
  get root(): CrushNode | null {
    const roots = this.nodes.filter(({ type }) => type === 'root')
    return roots.find(({ name }) => name === 'default') ?? roots[0] ?? null
  }
}
