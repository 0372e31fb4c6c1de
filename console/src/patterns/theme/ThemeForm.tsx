import { useWatch } from 'react-hook-form'
import * as z from 'zod'
import { colorSchemes, type ColorScheme } from '@mainstay/contract/identity/color-schemes'
import { Theme, type themeKeys } from '@mainstay/contract/identity/themes'
import { useT } from '../../i18n/use-t'
import { Checkbox, RadioCards, TextField } from '../form/form-fields'
import { FormDialog } from '../form/FormDialog'
import { useSetProperty } from './use-set-property'
import { PictureField } from './PictureField'
import { ThemePreview } from './ThemePreview'
import css from './theme.module.css'

// an empty name selects the product's default
const Name = z.string().trim().max(64)
const Form = Theme.extend({ productTitle: Name, productName: Name })
type Form = z.infer<typeof Form>

/** The theme to send, without empty names. */
const themeOf = ({ productTitle, productName, limitedUse, ...rest }: Form): Theme => ({
  ...rest,
  ...(productTitle && { productTitle }),
  ...(productName && { productName }),
  ...(limitedUse && { limitedUse }),
})

interface ThemeFormProps {
  domainId: string
  themeKey: (typeof themeKeys)[number]
  title: string
  theme: Theme
  /** `isSaved`: whether the theme was saved. */
  onClose: (isSaved: boolean) => void
}

/** Form for a domain's appearance, with a preview. */
export default function ThemeForm({ domainId, themeKey, title, theme, onClose }: ThemeFormProps) {
  const t = useT('theme')
  const set = useSetProperty(domainId)
  return (
    <FormDialog
      title={title}
      verb={t('theme.save')}
      schema={Form}
      start={{
        limitedUse: false,
        ...theme,
        productTitle: theme.productTitle ?? '',
        productName: theme.productName ?? '',
      }}
      send={(form) => set({ key: themeKey, data: themeOf(form), access: 'pub' })}
      onClose={onClose}
    >
      <Preview />
      <TextField name="productTitle" label={t('theme.productTitle')} help={t('theme.productTitle.help')} isOptional />
      <TextField name="productName" label={t('theme.productName')} help={t('theme.productName.help')} isOptional />
      <RadioCards<ColorScheme>
        name="colorScheme"
        label={t('theme.colorScheme')}
        isGrid
        className={css.schemes}
        items={colorSchemes.map((id) => ({
          id,
          label: t(`theme.scheme.${id}`),
          end: <span className={css.swatch} data-scheme={id} />,
        }))}
      />
      <PictureField name="logo" label={t('theme.logo')} help={t('theme.logo.help')} />
      <PictureField name="loginLogo" label={t('theme.loginLogo')} help={t('theme.loginLogo.help')} />
      <PictureField name="favicon" label={t('theme.favicon')} help={t('theme.favicon.help')} />
      <Checkbox name="limitedUse">{t('theme.limitedUse.field')}</Checkbox>
    </FormDialog>
  )
}

function Preview() {
  return <ThemePreview theme={useWatch<Theme>()} />
}
