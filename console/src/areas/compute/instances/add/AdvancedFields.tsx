import { useT } from '../../../../i18n/use-t'
import { Checkbox, TextArea } from '../../../../patterns/form/form-fields'
import { useWatched } from '../../../../patterns/form/use-watched'
import { Disclosure } from '../../../../ui/Disclosure'
import { TagsField } from '../../images/TagsField'
import { PlacementsField } from '../../placements/PlacementsField'
import { usePlacements } from '../../placements/use-placements'
import { useEngineChoosesPlacements, useEngineHasHa, useEngineHasLiveResize } from '../use-engine-can'
import css from './step.module.css'
import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { useList } from '../../../../api/use-list'
import { useBound } from '../../../../patterns/form/use-bound'
import { useMay } from '../../../../session/may'
import { Select } from '../../../../ui/fields/Select'
import { policyWords } from '../../server-groups/policy-words'

const none = 'none'
const most = 200

/** The server group for the instance to join. Hidden if the project has no groups. */
function ServerGroupField() {
  const t = useT('instance')
  const policies = useT('compute')
  const may = useMay()
  const { rows } = useList(serverGroups.list, serverGroupKind, {
    stateIn: 'memory',
    limit: most,
    isEnabled: may(serverGroups.list.needs),
  })
  const { value, onChange, ...field } = useBound<string | null>('server_group')
  if (rows.length === 0) return null
  return (
    <Select
      {...field}
      label={t('instances.serverGroup')}
      help={t('instances.add.serverGroupHelp')}
      value={value ?? none}
      onChange={(id) => onChange(id === none ? null : id)}
      items={[
        { id: none, label: t('instances.add.noServerGroup') },
        ...rows.map(({ id, name, policy }) => ({ id, label: name, description: policies(policyWords[policy].label) })),
      ]}
    />
  )
}

/** Settings that are rarely changed. The collapsed section summarizes their values. */
export function AdvancedFields() {
  const t = useT('instance')
  const list = useT('instances')
  const description = useWatched<string>('description')
  const tags = useWatched<string[]>('tags')
  const isHa = useWatched<boolean>('ha_enabled')
  const isLive = useWatched<boolean>('allow_live_resize')
  const hasHa = useEngineHasHa()
  const hasLiveResize = useEngineHasLiveResize()
  const choosesPlacements = useEngineChoosesPlacements()
  const hasPlacements = usePlacements().length > 0 && choosesPlacements
  const summary = [
    t(description ? 'instances.add.hasDescription' : 'instances.add.noDescription'),
    t('instances.add.tagCount', { count: tags.length }),
    ...(hasHa ? [t(isHa ? 'instances.add.haOn' : 'instances.add.haOff')] : []),
    ...(hasLiveResize ? [t(isLive ? 'instances.add.liveOn' : 'instances.add.liveOff')] : []),
  ].join(' · ')
  return (
    <Disclosure title={t('instances.add.advanced')} summary={summary}>
      <div className={css.step}>
        <TextArea name="description" label={t('instances.description')} isOptional rows={2} />
        <TagsField name="tags" label={list('instances.tags')} />
        <ServerGroupField />
        {hasPlacements && (
          <fieldset className={css.choice}>
            <legend>{list('instances.placements')}</legend>
            <PlacementsField name="traits" />
          </fieldset>
        )}
        {hasHa && (
          <Checkbox name="ha_enabled" help={t('instances.haHelp')}>
            {list('instances.ha')}
          </Checkbox>
        )}
        {hasLiveResize && (
          <Checkbox name="allow_live_resize" help={t('instances.liveResize.help')}>
            {t('instances.liveResize')}
          </Checkbox>
        )}
      </div>
    </Disclosure>
  )
}
