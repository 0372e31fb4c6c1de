import { useState } from 'react'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import {
  accessModes,
  actionsOf,
  modeOf,
  type AccessMode,
  type NetworkAccessPolicy,
} from '@mainstay/contract/networking/access'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { useBound } from '../../../patterns/form/use-bound'
import OwnerName from '../../../patterns/owners/OwnerName'
import { useMay } from '../../../session/may'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { Select } from '../../../ui/fields/Select'
import { IconButton } from '../../../ui/IconButton'
import { DeleteIcon, DomainIcon, ProjectIcon, UsersIcon } from '../../../ui/icons'
import css from './AccessField.module.css'
import { modeHelpKeys, modeKeys } from './network-words'

const keyOf = (policy: NetworkAccessPolicy): string =>
  'target_project' in policy
    ? policy.target_project === '*'
      ? 'all'
      : `project:${policy.target_project}`
    : `domain:${policy.target_domain}`

function policyOf(key: string, mode: AccessMode): NetworkAccessPolicy {
  const [kind = '', id = ''] = key.split(/:(.*)/s)
  const actions = actionsOf(mode)
  if (kind === 'domain') return { target_domain: id, actions }
  return { target_project: kind === 'all' ? '*' : id, actions }
}

/** The project or domain that a policy applies to, or “everyone”. */
export function PolicyTarget({ policy }: { policy: NetworkAccessPolicy }) {
  const t = useT('networking')
  const [kind = '', id = ''] = keyOf(policy).split(/:(.*)/s)
  if (kind === 'all') return <>{t('access.everybody')}</>
  return (
    <span className={css.target}>
      {kind === 'domain' ? <DomainIcon /> : <ProjectIcon />}
      <OwnerName of={kind === 'domain' ? 'domain' : 'project'} id={id} />
    </span>
  )
}

/** A network's access policies: each applies to a project, a domain or everyone, and has a mode. */
export function AccessField({ name }: { name: string }) {
  const t = useT('networking')
  const { value, onChange, error } = useBound<NetworkAccessPolicy[]>(name)
  const modes = accessModes.map((id) => ({ id, label: t(modeKeys[id]), description: t(modeHelpKeys[id]) }))
  const taken = value.map(keyOf)
  return (
    <div className={css.access}>
      {value.length === 0 && <p className={css.none}>{t('access.none')}</p>}
      {value.map((policy, at) => (
        <div key={keyOf(policy)} className={css.policy}>
          <span className={css.who}>
            <PolicyTarget policy={policy} />
          </span>
          <Select
            label={t('access.mode')}
            items={modes}
            value={modeOf(policy.actions) ?? 'direct'}
            onChange={(mode) => onChange(value.with(at, { ...policy, actions: actionsOf(mode) }))}
          />
          <IconButton
            icon={DeleteIcon}
            label={t('access.remove')}
            onPress={() => onChange(value.filter((it) => it !== policy))}
          />
        </div>
      ))}
      <TargetChoice taken={taken} onChoose={(key) => onChange([...value, policyOf(key, 'mixed')])} />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}

function TargetChoice({ taken, onChoose }: { taken: readonly string[]; onChoose: (key: string) => void }) {
  const t = useT('networking')
  const may = useMay()
  const [round, setRound] = useState(0)
  const { search, onSearch, isAwaited } = useTypedSearch(undefined)
  const found = { stateIn: 'memory', limit: 20, ...(search && { only: { search } }) } as const
  const projectList = useList(projects.list, projectKind, {
    ...found,
    isEnabled: may(projects.list.needs),
  })
  const domainList = useList(domains.list, domainKind, { ...found, isEnabled: may(domains.list.needs) })
  const items = [
    ...(search ? [] : [{ id: 'all', label: t('access.everybody'), icon: UsersIcon }]),
    ...domainList.rows.map(({ id, name }) => ({
      ...{ id: `domain:${id}`, label: name, icon: DomainIcon },
      end: t('access.domain'),
    })),
    ...projectList.rows.map(({ id, name }) => ({
      ...{ id: `project:${id}`, label: name, icon: ProjectIcon },
      end: t('access.project'),
    })),
  ].filter(({ id }) => !taken.includes(id))
  return (
    <ComboBox
      key={round}
      label={t('access.add')}
      placeholder={t('access.search')}
      value={null}
      onChange={(key) => {
        if (key === null) return
        setRound(round + 1)
        onChoose(key)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || projectList.isLoading || projectList.isChanging}
      items={items}
    />
  )
}
