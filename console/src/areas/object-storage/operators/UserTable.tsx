import { useMemo, useState } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { s3Users, type S3User } from '@mainstay/contract/object-storage/s3-users'
import { call } from '../../../api/call'
import { asProblem } from '../../../api/problem'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { notifyError } from '../../../notices/notify-error'
import { columns } from '../../../patterns/table/columns'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { EditIcon, KeyIcon, StartIcon, StopIcon } from '../../../ui/icons'
import { Bytes } from '../../../ui/values/Bytes'
import { useLocalList } from '../../../patterns/local-table/local-list'
import { LocalTable } from '../../../patterns/local-table/LocalTable'
import { EVERYWHERE } from './everywhere'
import { QuotaForm } from './QuotaForm'
import { UserKeys } from './UserKeys'

const column = columns<S3User>('objectStorage')
const userColumns = [
  column.text('name', 'users.name', { width: 200 }),
  column.text('email', 'users.email', { width: 200, isHidden: true }),
  column.status(
    'is_enabled',
    'keys.status',
    ({ is_enabled: isEnabled }, t) => ({
      tone: isEnabled ? 'ok' : 'idle',
      text: t(isEnabled ? 'keys.enabled' : 'keys.disabled'),
    }),
    { width: 120 },
  ),
  column.domain('domain_id', { isHidden: false, isForAllTenants: false, width: 150 }),
  column.node('keys', 'users.keys', ({ keys }) => keys.length, { isAtEnd: true, width: 80 }),
  column.node('size', 'overview.size', ({ usage }) => <Bytes of={usage.size} />, { isAtEnd: true, width: 110 }),
  column.node(
    'quota',
    'users.limit',
    ({ quota }, { t }) => (quota === null ? t('users.unlimited') : <Bytes of={quota} />),
    { isAtEnd: true, width: 120 },
  ),
]
const sortBy = {
  name: ({ name }: S3User) => name,
  is_enabled: ({ is_enabled: isEnabled }: S3User) => (isEnabled ? 0 : 1),
  domain_id: ({ domain_id: id }: S3User) => id,
  keys: ({ keys }: S3User) => keys.length,
  size: ({ usage }: S3User) => usage.size,
  quota: ({ quota }: S3User) => quota,
}
const matches = ({ name, email }: S3User, search: string) =>
  `${name} ${email ?? ''}`.toLowerCase().includes(search.trim().toLowerCase())

/** S3 users in all domains, with their keys and limits. */
export function UserTable() {
  const t = useT('objectStorage')
  const may = useMay()
  const { data, error, dataUpdatedAt, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['list', 's3_user', s3Users.list.path],
    queryFn: ({ signal, pageParam }) =>
      call(s3Users.list, { params: { scope: EVERYWHERE }, query: pageParam ? { marker: pageParam } : {} }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_marker: marker }) => marker ?? undefined,
  })
  const update = useCall(s3Users.update, { refresh: [s3Users.list] })
  const [limited, limit] = useState<S3User>()
  const [shown, show] = useState<string>()
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data])
  const list = useLocalList({
    ...{ name: 's3_user', rows, sortBy, matches, start: { key: 'name', direction: 'asc' } },
    problem: error && data === undefined ? asProblem(error) : undefined,
    staleSince: error && data !== undefined ? dataUpdatedAt : undefined,
    reload: () => void refetch(),
    more: { has: hasNextPage, isLoading: isFetchingNextPage, load: () => void fetchNextPage() },
  })

  async function enable({ id, name }: S3User, isEnabled: boolean) {
    try {
      await update.run({ params: { scope: EVERYWHERE, id }, body: { is_enabled: isEnabled } })
      toast(t(isEnabled ? 'users.wasEnabled' : 'users.wasDisabled', { name }))
    } catch (thrown) {
      notifyError(thrown)
    }
  }
  const actions = (user: S3User): RowAction[] => [
    { label: t('users.keysOf'), icon: KeyIcon, group: 'show', run: () => show(user.id) },
    ...(may(s3Users.update.needs)
      ? [
          { label: t('users.setLimit'), icon: EditIcon, run: () => limit(user) },
          {
            label: t(user.is_enabled ? 'keys.disable' : 'keys.enable'),
            icon: user.is_enabled ? StopIcon : StartIcon,
            run: () => void enable(user, !user.is_enabled),
          },
        ]
      : []),
  ]
  const opened = rows?.find(({ id }) => id === shown)
  return (
    <>
      <LocalTable
        list={list}
        label={t('users.many')}
        searchLabel={t('users.search')}
        count={rows && t(hasNextPage ? 'users.loaded' : 'users.count', { count: list.rows.length })}
        columns={userColumns}
        actions={actions}
        empty={t('users.empty')}
      />
      {limited && <QuotaForm user={limited} onClose={() => limit(undefined)} />}
      {opened && <UserKeys user={opened} onClose={() => show(undefined)} />}
    </>
  )
}
