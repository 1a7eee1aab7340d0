#!/usr/bin/env python3
"""Draws 32,000 German and 33,000 English sentences from text in one language, to be translated back: mono.de and mono.en.

usage: sample.py DATA (the folder that has train-de-en-general)
"""
import gzip,random,sys
G = sys.argv[1] + '/train-de-en-general/'
M = sys.argv[1] + '/train-de-en-more/'
plan={'de':[(G+'bundestag.mono.de.gz',3000),(G+'common-voice.mono.de.gz',3000),(G+'german-law.mono.de.gz',1000),(G+'wikipedia-klexikon.mono.de.gz',9000),(G+'ud-gsd.mono.de.gz',1000),(M+'bundestag-more.mono.de.gz',5000),(M+'wikipedia-long.mono.de.gz',10000)],
'en':[(G+'common-voice.mono.en.gz',5000),(G+'gum.mono.en.gz',2500),(G+'openstax-books.mono.en.gz',4500),(G+'service-dialogues.mono.en.gz',4500),(G+'us-gov-web.mono.en.gz',6500),(G+'us-speeches.mono.en.gz',4000),(G+'wikipedia-split.mono.en.gz',2500),(G+'world-factbook.mono.en.gz',1000),(M+'openstax-more.mono.en.gz',2500)]}
for l,files in plan.items():
    r=random.Random(5); out=[]
    for f,n in files:
        x=[s for s in gzip.open(f,'rt',encoding='utf-8').read().split('\n') if 3<=len(s.split())<=60 and not any(ord(c)<32 for c in s)]
        out+=r.sample(x,min(n,len(x)))
    r.shuffle(out); open('mono.'+l,'w').write('\n'.join(out)+'\n'); print(l,len(out),sum(len(s.split()) for s in out))
