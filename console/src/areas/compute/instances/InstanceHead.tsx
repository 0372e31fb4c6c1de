import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import type { RowAction } from '../../../patterns/table/row-action'
import { Link } from '../../../nav/Link'
import { buttonClass, type ButtonLook } from '../../../ui/button-class'
import { useT } from '../../../i18n/use-t'
import { ExplainedButton } from './ExplainedButton'
import { InstanceStatus } from './InstanceStatus'
import type { useInstanceActions } from './use-instance-actions'
import { machinePath } from './resource'
import css from './InstanceHead.module.css'

interface InstanceHeadProps {
  instance: Instance
  actions: Pick<ReturnType<typeof useInstanceActions>, 'screen' | 'power'>
}

/** Shown below the name: status, link to the full page, console button and the most likely power action. */
export function InstanceHead({ instance, actions }: InstanceHeadProps) {
  const t = useT('instance')
  return (
    <div className={css.head}>
      <InstanceStatus instance={instance} />
      <span className={css.buttons}>
        <Link to={machinePath(instance.id)} className={buttonClass({ size: 'small' })}>
          {t('instances.openPage')}
        </Link>
        <InstanceButtons instance={instance} actions={actions} size="small" />
      </span>
    </div>
  )
}

/** The console button, which may be the primary button, and the most likely power action. */
export function InstanceButtons({ instance, actions, ...look }: InstanceHeadProps & ButtonLook) {
  const all = actions.power(instance)
  const power = all.find(({ disabledBecause }) => disabledBecause === undefined) ?? all[0]
  const powerCall = instanceIsRunning(instance) ? 'stop' : 'start'
  return (
    <>
      {actions.screen(instance).map((action) => (
        <ActionButton key={action.label} action={action} instance={instance} call="console" {...look} />
      ))}
      {power && <ActionButton action={power} instance={instance} call={powerCall} size={look.size} />}
    </>
  )
}

interface ActionButtonProps extends ButtonLook {
  action: RowAction
  instance: Instance
  /** The API call to explain if the button is disabled. */
  call: 'console' | 'start' | 'stop'
}

const ActionButton = ({ action, instance, call, ...look }: ActionButtonProps) => (
  <ExplainedButton
    {...look}
    icon={action.icon}
    disabledBecause={action.disabledBecause}
    about={{ call: `instances.${call}`, thing: instance }}
    onPress={() => action.run?.()}
  >
    {action.label}
  </ExplainedButton>
)
