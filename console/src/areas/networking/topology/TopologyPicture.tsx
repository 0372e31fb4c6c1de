import { useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import {
  Background,
  BackgroundVariant,
  Controls,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  type Edge,
  type Node,
  type NodeProps,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { ServerGroupIcon } from '../../../ui/icons'
import { columnKeys, kindKeys, nodeIcons } from './topology-words'
import { columnX, nodeBeside, type DrawnNode, type Drawing } from './layout'
import css from './topology.module.css'

interface TopologyPictureProps {
  drawing: Drawing
  selected: string | null
  onSelect: (id: string | null) => void
  /** Called to expand or collapse a group. */
  onGroup: (networkId: string) => void
  /** Called when the user presses `t`, to show the node in the table. */
  onTable: (id: string) => void
}

type Drawn = Node<{ drawn: DrawnNode }, 'thing' | 'title'>

/** Draws the topology in four columns. xyflow handles panning, zooming and focus; the layout is our own. */
export default function TopologyPicture(props: TopologyPictureProps) {
  return (
    <ReactFlowProvider>
      <Picture {...props} />
    </ReactFlowProvider>
  )
}

/** Removes xyflow's English role descriptions “node” and “edge”, since our labels are more specific. */
const unnamed = { 'aria-roledescription': undefined }

const nodeTypes = { thing: Thing, title: ColumnTitle }

function Picture({ drawing, selected, onSelect, onGroup, onTable }: TopologyPictureProps) {
  const t = useT('networking')
  const flow = useReactFlow()
  const place = useRef<HTMLDivElement>(null)

  const nodes = useMemo<Drawn[]>(
    () => [
      ...columnX.map((x, column): Drawn => ({
        id: `column:${column}`,
        type: 'title',
        position: { x, y: -40 },
        data: { drawn: { id: '', column: column as 0, x, y: 0 } },
        focusable: false,
        selectable: false,
        domAttributes: unnamed,
      })),
      ...drawing.nodes.map((drawn): Drawn => ({
        id: drawn.id,
        type: 'thing',
        position: { x: drawn.x, y: drawn.y },
        data: { drawn },
        selected: drawn.id === selected,
        ariaLabel: wordsOf(drawn, drawing, t),
        domAttributes: unnamed,
      })),
    ],
    [drawing, selected, t],
  )
  const edges = useMemo<Edge[]>(
    () =>
      drawing.edges.map(({ id, from, to, broken }) => {
        // always draw edges from left to right, regardless of the direction of the connection
        const [left, right] = [from, to].toSorted((a, b) => columnAt(drawing, a) - columnAt(drawing, b))
        const isNear = selected !== null && (from === selected || to === selected)
        return {
          ...{ id, source: left!, target: right!, type: 'smoothstep', focusable: false, ariaLabel: '→' },
          domAttributes: unnamed,
          className: classes(css.edge, broken !== null && css.broken, isNear && css.near),
        }
      }),
    [drawing, selected],
  )

  useEffect(() => {
    if (selected === null) return
    const node = drawing.nodes.find(({ id }) => id === selected)
    if (node) void flow.setCenter(node.x + 110, node.y + 26, { zoom: Math.max(0.7, flow.getZoom()) })
    // move the picture only when the selection changes
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [selected])

  function byKey(event: KeyboardEvent) {
    const id = (event.target as Element).closest<HTMLElement>('.react-flow__node')?.dataset['id']
    if (id === undefined) return
    const drawn = drawing.nodes.find((it) => it.id === id)
    if (event.key.startsWith('Arrow')) {
      event.preventDefault()
      const next = nodeBeside(drawing, id, event.key)
      if (next === undefined) return
      onSelect(next)
      place.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(next)}"]`)?.focus()
    } else if (event.key === 'Enter' && drawn?.group) {
      event.preventDefault()
      onGroup(drawn.group.networkId)
    } else if (event.key === 't') onTable(id)
  }

  return (
    // handles key events for the nodes inside, which are focusable
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={place}
      role="group"
      aria-label={t('topology.picture')}
      className={css.picture}
      dir="ltr"
      onKeyDown={byKey}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        // the picture is zoomed in enough to be readable; users can scroll to the rest
        defaultViewport={{ x: 24, y: 48, zoom: 0.85 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        zoomOnScroll={false}
        panOnScroll
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, { id, data }) => {
          onSelect(id)
          const { group } = data.drawn
          if (group) onGroup(group.networkId)
        }}
        onPaneClick={() => onSelect(null)}
        ariaLabelConfig={{
          'node.a11yDescription.default': t('topology.keys'),
          'controls.zoomIn.ariaLabel': t('topology.zoomIn'),
          'controls.zoomOut.ariaLabel': t('topology.zoomOut'),
          'controls.fitView.ariaLabel': t('topology.fit'),
          'controls.ariaLabel': t('topology.controls'),
        }}
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
        <TranslatedControls />
      </ReactFlow>
    </div>
  )
}

/**
 * xyflow applies our labels only after its first render. Until then, its controls are hidden, since their labels would
 * be in English.
 */
function TranslatedControls() {
  const own = useT('networking')('topology.controls')
  const isTranslated = useStore(({ ariaLabelConfig }) => ariaLabelConfig['controls.ariaLabel'] === own)
  return isTranslated && <Controls showInteractive={false} position="bottom-right" />
}

const columnAt = ({ nodes }: Drawing, id: string) => nodes.find((it) => it.id === id)?.column ?? 0

function wordsOf({ id, node, group }: DrawnNode, { edges }: Drawing, t: ReturnType<typeof useT<'networking'>>): string {
  if (group) return t(group.isOpen ? 'topology.groupOpen' : 'topology.group', { count: group.members.length })
  const broken = edges.flatMap(({ from, to, broken: why }) => (why !== null && (from === id || to === id) ? [why] : []))
  return node ? [t(kindKeys[node.kind]), node.name, ...node.addresses, ...node.floating_ips, ...broken].join(', ') : ''
}

function ColumnTitle({ data }: NodeProps<Drawn>) {
  const t = useT('networking')
  return <div className={css.title}>{t(columnKeys[data.drawn.column]!)}</div>
}

function Thing({ data, selected }: NodeProps<Drawn>) {
  const t = useT('networking')
  const { node, group } = data.drawn
  const NodeIcon = node ? nodeIcons[node.kind] : ServerGroupIcon
  const isBad = node !== undefined && node.status === 'ERROR'
  const isDown = node !== undefined && (node.status === 'DOWN' || node.status === 'SHUTOFF')
  return (
    <div className={classes(css.thing, selected && css.chosen, isBad && css.bad, isDown && css.down)}>
      <Handle type="target" position={Position.Left} isConnectable={false} className={css.handle} />
      <NodeIcon />
      <span className={css.words}>
        <span className={css.name}>
          {group
            ? t(group.isOpen ? 'topology.groupOpen' : 'topology.group', { count: group.members.length })
            : node?.name}
        </span>
        {node && <span className={css.addresses}>{[...node.addresses, ...node.floating_ips].join(', ')}</span>}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} className={css.handle} />
    </div>
  )
}
