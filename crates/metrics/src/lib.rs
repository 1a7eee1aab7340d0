//! Quality of translations: BLEU, chrF and TER with the numbers of sacreBLEU.
