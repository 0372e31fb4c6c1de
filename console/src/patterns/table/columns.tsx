import { lazy, Suspense, use, type ReactNode } from 'react'
import type { Area, Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { ParentsContext, type Parents } from '../../nav/parents'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { Bytes, Amount } from '../../ui/values/Bytes'
import { Mono, ShortId } from '../../ui/values/Mono'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { Time } from '../../ui/values/Time'
import type { Tone } from '../../ui/tone'
import { LockMark } from '../deletion-lock/LockMark'
import css from './columns.module.css'

/** Context for rendering a cell. */
export interface CellContext {
  /** 0 for the focused row, otherwise -1, so that Tab stops at one row only. */
  tabIndex: 0 | -1
  t: Translate<Area>
}

export interface Column<Item> {
  id: string
  area: Area
  label: Key
  render: (item: Item, context: CellContext) => ReactNode
  /** Aligned to the end, for numbers. */
  isAtEnd: boolean
  /** Sort key; the column can be sorted only if the kind has this key. */
  sortKey: string
  /** Hidden by default; can be shown with the column menu. */
  isHidden: boolean
  /** Shown only in a system scope. */
  isForAllTenants: boolean
  /** In pixels; the first column takes the remaining width. */
  width: number
  /** Position on a card: next to the name, or on the second line; `named` shows the value with its label. */
  card: 'state' | 'plain' | 'named'
}

export type ColumnOptions = Partial<
  Pick<Column<never>, 'sortKey' | 'isHidden' | 'isForAllTenants' | 'width' | 'isAtEnd' | 'card'>
>

/** Maximum number of values on the second line of a card; values that do not fit are hidden as a whole. */
const mostFacts = 3

/** The columns of a card: name, state, then values without labels before those with labels. */
export function cardColumns<Item>([name, ...others]: readonly Column<Item>[]): Column<Item>[] {
  const state = others.find(({ card }) => card === 'state')
  const facts = others.filter(({ card }) => card !== 'state').slice(0, mostFacts)
  const isNamed = ({ card }: Column<Item>) => Number(card === 'named')
  return [
    ...(name ? [name] : []),
    ...(state ? [state] : []),
    ...facts.toSorted((one, other) => isNamed(one) - isNamed(other)),
  ]
}

export interface Status {
  tone: Tone
  /** Label of the status. */
  text: string
  /** The current activity. */
  detail?: string | undefined
}

type FieldOf<Item> = keyof Item & string
type FieldWith<Item, Value> = { [Name in FieldOf<Item>]: Item[Name] extends Value ? Name : never }[FieldOf<Item>]

/** Placeholder for an empty value. */
const none = (
  <span className={css.none} data-none>
    –
  </span>
)
const orNone = (value: unknown, show: (value: never) => ReactNode) =>
  value === null || value === undefined || value === '' ? none : show(value as never)

// the component is loaded lazily, because owner names are requested after the rows
const OwnerName = lazy(() => import('../owners/OwnerName'))
const owner = (of: 'project' | 'domain') => (id: string) => (
  <Suspense fallback={<Skeleton width="8ch" />}>
    <OwnerName of={of} id={id} />
  </Suspense>
)

type ViewPath = (id: string, parents: Parents) => string

/** Link to the details of a row, over the current list. */
const NameLink = ({ to, id, name, tabIndex }: { to: ViewPath; id: string; name: string; tabIndex: 0 | -1 }) => (
  <Link to={to(id, use(ParentsContext))} keepsSearch className={css.link} dir="auto" tabIndex={tabIndex}>
    {name}
  </Link>
)

/** Column builders for a table: `const column = columns<SshKey>('compute')`, then `column.link('name', …)`. */
export function columns<Item extends { id: string }>(area: Area) {
  const made = (
    id: string,
    label: Key,
    render: Column<Item>['render'],
    {
      sortKey = id,
      isHidden = false,
      isForAllTenants = false,
      width = 160,
      isAtEnd = false,
      card = 'named',
    }: ColumnOptions = {},
  ): Column<Item> => ({ id, area, label, render, sortKey, isHidden, isForAllTenants, width, isAtEnd, card })

  // labels shared by all areas come from the patterns catalogue
  const framed: typeof made = (...given) => ({ ...made(...given), area: 'patterns' })

  return {
    /** The name, linked to the details, with a mark for locked objects. First in every table. */
    link: (field: FieldOf<Item>, label: Key, to: ViewPath, options?: ColumnOptions) =>
      made(
        field,
        label,
        (item, { tabIndex }) => (
          <>
            <NameLink to={to} id={item.id} name={String(item[field])} tabIndex={tabIndex} />
            {'deletion_lock' in item && <LockMark />}
          </>
        ),
        { width: 240, ...options },
      ),
    text: (field: FieldOf<Item>, label: Key, options?: ColumnOptions) =>
      made(field, label, (item) => orNone(item[field], (value) => <bdi>{String(value)}</bdi>), {
        card: 'plain',
        ...options,
      }),
    status: (
      field: FieldOf<Item>,
      label: Key,
      say: (item: Item, t: Translate<Area>) => Status,
      options?: ColumnOptions,
    ) =>
      made(
        field,
        label,
        (item, { t }) => {
          const { tone, text, detail } = say(item, t)
          return (
            <StatusBadge tone={tone} detail={detail}>
              {text}
            </StatusBadge>
          )
        },
        { card: 'state', ...options },
      ),
    bytes: (field: FieldWith<Item, number | null>, label: Key, options?: ColumnOptions) =>
      made(field, label, (item) => orNone(item[field], (value: number) => <Bytes of={value} />), {
        isAtEnd: true,
        width: 110,
        ...options,
      }),
    number: (field: FieldWith<Item, number | null>, label: Key, unit?: string, options?: ColumnOptions) =>
      made(field, label, (item) => orNone(item[field], (value: number) => <Amount of={value} unit={unit} />), {
        isAtEnd: true,
        width: 100,
        ...options,
      }),
    time: (field: FieldOf<Item>, label: Key, options?: ColumnOptions) =>
      made(field, label, (item) => orNone(item[field], (value: string) => <Time at={value} />), {
        width: 140,
        ...options,
      }),
    /** Monospaced: addresses, fingerprints. */
    mono: (field: FieldOf<Item>, label: Key, options?: ColumnOptions) =>
      made(field, label, (item) => orNone(item[field], (value: string) => <Mono>{value}</Mono>), {
        card: 'plain',
        ...options,
      }),
    id: (field: FieldOf<Item>, label: Key, options?: ColumnOptions) =>
      made(field, label, (item) => orNone(item[field], (value: string) => <ShortId id={value} />), {
        width: 120,
        ...options,
      }),
    /** Any other content, or null. `id` is also the sort key, if the column can be sorted. */
    node: (id: string, label: Key, render: Column<Item>['render'], options?: ColumnOptions) =>
      made(
        id,
        label,
        (item, tools) =>
          orNone(render(item, tools), (shown: ReactNode) => (typeof shown === 'string' ? <bdi>{shown}</bdi> : shown)),
        options,
      ),
    /** The owning project, shown in a system scope. */
    project: (field: FieldOf<Item>, options?: ColumnOptions) =>
      framed(field, 'table.project', (item) => orNone(item[field], owner('project')), {
        isForAllTenants: true,
        card: 'plain',
        width: 180,
        ...options,
      }),
    created: (field: FieldOf<Item>, options?: ColumnOptions) =>
      framed(field, 'table.created', (item) => orNone(item[field], (value: string) => <Time at={value} />), {
        width: 140,
        ...options,
      }),
    updated: (field: FieldOf<Item>, options?: ColumnOptions) =>
      framed(field, 'table.updated', (item) => orNone(item[field], (value: string) => <Time at={value} />), {
        isHidden: true,
        width: 140,
        ...options,
      }),
    /** The object ID, hidden by default. */
    ownId: () => framed('id', 'table.id', ({ id }) => <ShortId id={id} />, { isHidden: true, width: 120 }),
    domain: (field: FieldOf<Item>, options?: ColumnOptions) =>
      framed(field, 'table.domain', (item) => orNone(item[field], owner('domain')), {
        isForAllTenants: true,
        isHidden: true,
        card: 'plain',
        width: 130,
        ...options,
      }),
  }
}
