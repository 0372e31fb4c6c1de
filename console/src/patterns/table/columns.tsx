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

/** What a cell may know of its row. */
export interface CellContext {
  /** 0 for the row that has the focus, else -1: Tab goes through one row and not through all. */
  tabIndex: 0 | -1
  t: Translate<Area>
}

export interface Column<Item> {
  id: string
  area: Area
  label: Key
  render: (item: Item, context: CellContext) => ReactNode
  /** Figures stand at the end. */
  isAtEnd: boolean
  /** The sort key of the kind; columns whose key the kind does not have cannot be sorted. */
  sortKey: string
  /** Behind the column choice at first. */
  isHidden: boolean
  /** Only where every tenant's rows are shown. */
  isForAllTenants: boolean
  /** Pixels; the first column takes what is left. */
  width: number
  /** Its place where a row is a card: beside the name, or on the second line; `named` where its value needs its label. */
  card: 'state' | 'plain' | 'named'
}

export type ColumnOptions = Partial<
  Pick<Column<never>, 'sortKey' | 'isHidden' | 'isForAllTenants' | 'width' | 'isAtEnd' | 'card'>
>

/** A card has at most so many facts on its second line, those of the first columns; what has no room there is cut off whole. */
const mostFacts = 3

/** The columns of a card: the name, the state, and then what needs no label before what does. */
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
  /** In words. */
  text: string
  /** What it is doing. */
  detail?: string | undefined
}

type FieldOf<Item> = keyof Item & string
type FieldWith<Item, Value> = { [Name in FieldOf<Item>]: Item[Name] extends Value ? Name : never }[FieldOf<Item>]

/** "Nothing here", read as such. */
const none = (
  <span className={css.none} data-none>
    –
  </span>
)
const orNone = (value: unknown, show: (value: never) => ReactNode) =>
  value === null || value === undefined || value === '' ? none : show(value as never)

// names of owners are asked for after the rows are there
const OwnerName = lazy(() => import('../owners/OwnerName'))
const owner = (of: 'project' | 'domain') => (id: string) => (
  <Suspense fallback={<Skeleton width="8ch" />}>
    <OwnerName of={of} id={id} />
  </Suspense>
)

type ViewPath = (id: string, parents: Parents) => string

/** Leads to the details of a row, over the list that it stands in. */
const NameLink = ({ to, id, name, tabIndex }: { to: ViewPath; id: string; name: string; tabIndex: 0 | -1 }) => (
  <Link to={to(id, use(ParentsContext))} keepsSearch className={css.link} dir="auto" tabIndex={tabIndex}>
    {name}
  </Link>
)

/** Makes the columns of a table: `const column = columns<SshKey>('compute')`, then `column.link('name', …)`. */
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

  // these are the same in every area, so their words are the table's own
  const framed: typeof made = (...given) => ({ ...made(...given), area: 'patterns' })

  return {
    /** The name, which leads to the thing, with a mark where it is locked. First in every table. */
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
    /** Addresses, fingerprints. */
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
    /** Whatever else, or null; `id` is its sort key too, if it can be sorted. */
    node: (id: string, label: Key, render: Column<Item>['render'], options?: ColumnOptions) =>
      made(
        id,
        label,
        (item, tools) =>
          orNone(render(item, tools), (shown: ReactNode) => (typeof shown === 'string' ? <bdi>{shown}</bdi> : shown)),
        options,
      ),
    /** Whose it is: shown where every tenant's rows are. */
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
    /** Its own id, behind the choice of columns. */
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
