import { useT } from '../../../../i18n/use-t'
import { Checkbox, TextField } from '../../../../patterns/form/form-fields'
import { useBound } from '../../../../patterns/form/use-bound'
import { useWatched } from '../../../../patterns/form/use-watched'
import { NetworkPicker } from '../../../../pickers/NetworkPicker'
import { Disclosure } from '../../../../ui/Disclosure'
import { NetworkIcon } from '../../../../ui/icons'
import type { Nic } from './instance-form'
import { ProtectionFields } from './ProtectionFields'
import css from './step.module.css'

/** The networks to connect, each with an optional fixed address. */
export function NetworksStep() {
  const t = useT('instance')
  const list = useT('instances')
  const { value: nics, onChange } = useBound<Nic[]>('networks')
  const hasNone = useWatched<boolean>('no_network')
  return (
    <div className={css.step}>
      <Checkbox name="no_network" help={t('instances.add.noNetworkHelp')}>
        {t('instances.add.noNetwork')}
      </Checkbox>
      {!hasNone && (
        <>
          <NetworkPicker
            isMultiple
            chosen={nics.map(({ network }) => network.id)}
            onChoose={(network, isChosen) =>
              onChange(
                isChosen
                  ? [...nics, { network, address: '', mac: '' }]
                  : nics.filter((nic) => nic.network.id !== network.id),
              )
            }
          />
          {nics.length > 0 && (
            <Disclosure
              title={t('instances.add.addresses')}
              summary={
                nics.some(({ address, mac }) => address || mac) ? t('instances.add.own') : t('instances.add.automatic')
              }
              isOpenAtFirst={nics.some(({ address, mac }) => address !== '' || mac !== '')}
            >
              <div className={css.step}>
                {nics.map(({ network }, index) => (
                  <section key={network.id} className={css.card} aria-label={network.name}>
                    <div className={css.cardHead}>
                      <NetworkIcon />
                      <bdi>{network.name}</bdi>
                    </div>
                    <div className={css.pair}>
                      <TextField
                        name={`networks.${index}.address`}
                        label={list('instances.address')}
                        placeholder={t('instances.add.automatic')}
                        isMono
                        isOptional
                      />
                      <TextField
                        name={`networks.${index}.mac`}
                        label={t('instances.mac')}
                        placeholder={t('instances.add.automatic')}
                        isMono
                        isOptional
                      />
                    </div>
                  </section>
                ))}
              </div>
            </Disclosure>
          )}
          {nics.length > 0 && <ProtectionFields />}
        </>
      )}
    </div>
  )
}
