import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { Fault } from './Fault'
import type { useProvider } from './use-provider'
import css from './sign-in.module.css'

export interface ProviderButtonProps {
  provider: IdentityProvider
  way: ReturnType<typeof useProvider>
  isMain?: boolean
}

/** Opens the sign-in page of an identity provider, or shows why that failed. */
export function ProviderButton({ provider, way, isMain = false }: ProviderButtonProps) {
  const t = useT('shell')
  return (
    <>
      <Fault>{way.fault}</Fault>
      <Button
        {...(isMain && { variant: 'primary' })}
        className={css.provider}
        isBusy={way.isBusy}
        isDisabled={way.isWaiting}
        onPress={() => void way.submit()}
      >
        {t('signIn.through', { provider: provider.name })}
      </Button>
    </>
  )
}
