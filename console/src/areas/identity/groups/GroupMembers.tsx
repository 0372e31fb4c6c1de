import { PART_LIMIT } from '@mainstay/contract/core/lists/paging'
import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { groups, type Group } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { userKind, users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { AddLink } from '../../../patterns/AddLink'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Assignments } from '../Assignments'
import { userResource } from '../users/resource'
import { groupResource } from './resource'
import { useGroupBar } from './use-group-actions'

/** A group's members. */
export function GroupMembers({ group }: { group: Group }) {
  const t = useT('identity')
  const compute = useT('compute')
  const may = useMay()
  const { id, name } = group
  const isKeptElsewhere = isOfDirectory(group)
  const isBarred = useGroupBar()(group) !== undefined || isKeptElsewhere
  const list = useList(users.list, userKind, { stateIn: 'memory', only: { group_id: id }, limit: PART_LIMIT })
  const remove = useCall(groups.removeMembers, {
    refresh: [users.list, users.view, groups.list, groups.view, projects.list, projects.view],
  })
  // hide members that another administrator has since removed
  const members = list.rows.filter((user) => user.groups.some((it) => it.id === id))
  const add = !isBarred && (
    <AddLink to={groupResource.paths.below(id, 'add-members')} needs={groups.addMembers.needs}>
      {t('groups.addMembers')}
    </AddLink>
  )
  if (!list.isLoading && members.length === 0) return <EmptyState action={add}>{t('groups.noMembers')}</EmptyState>
  return (
    <>
      {isKeptElsewhere && <Banner tone="busy">{t('groups.ofDirectory')}</Banner>}
      {add}
      <Assignments
        label={t('groups.members')}
        isLoading={list.isLoading}
        rows={members.map((user) => ({ id: user.id, name: user.name, to: userResource.paths.view(user.id) }))}
        removeLabel={(user) => t('groups.removeMember', { name: user })}
        mayChange={may(groups.removeMembers.needs) && !isBarred}
        onRemove={async (user) => {
          await remove.run({ params: { id }, body: { uuids: [user.id] } })
          toast(t('groups.memberRemoved', { user: user.name, name }))
        }}
      />
      {list.hasMore && (
        <Button variant="plain" isBusy={list.isLoadingMore} onPress={list.loadMore}>
          {compute('pickers.more')}
        </Button>
      )}
    </>
  )
}
