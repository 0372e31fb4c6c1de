import { languages, type LanguageId } from '../../i18n/languages'
import { setLanguage, useLanguage } from '../../i18n/language'
import { schemes } from '../../themes/schemes/schemes'
import { brands } from '../../themes/brands/brands'
import { setBranding, setDensity, setThemeMode, useTheme } from '../../themes/theme'
import { Select } from '../../ui/fields/Select'
import { Row } from './section'

export function Looks() {
  const { id } = useLanguage()
  const theme = useTheme()
  return (
    <Row>
      <Select
        label="Theme"
        isLabelHidden
        items={['light', 'dark', 'system'].map((mode) => ({ id: mode, label: mode }))}
        value={theme.mode}
        onChange={(mode) => setThemeMode(mode as 'light')}
      />
      <Select
        label="Brand"
        isLabelHidden
        items={Object.keys(brands).map((brand) => ({ id: brand, label: brand }))}
        value={theme.brand}
        onChange={(brand) => setBranding({ brand })}
      />
      <Select
        label="Scheme"
        isLabelHidden
        items={schemes.map((scheme) => ({ id: scheme.id, label: scheme.id }))}
        value={theme.scheme}
        onChange={(scheme) => setBranding({ brand: theme.brand, scheme })}
      />
      <Select
        label="Density"
        isLabelHidden
        items={['compact', 'comfortable'].map((density) => ({ id: density, label: density }))}
        value={theme.density}
        onChange={(density) => setDensity(density as 'compact')}
      />
      <Select
        label="Language"
        isLabelHidden
        items={[
          ...languages.map((language) => ({ id: language.id as string, label: language.name })),
          { id: 'en-XA', label: 'Pseudo' },
        ]}
        value={id}
        onChange={(language) => void setLanguage(language as LanguageId)}
      />
    </Row>
  )
}
